// Reads a file of settings, the one that systemd reads for the service's unit
// (`EnvironmentFile`), so that they aren't repeated by hand.
//
// systemd and Node's own `parseEnv` agree on plain lines only: Node cuts a value at `#`
// and takes no backslash, systemd keeps the one and reads the other. So a line that they
// would read differently is refused, with the line to write instead.

import { readFileSync } from 'node:fs';
import type { Environment } from '../../hosts/settings/schema.js';
import { pathOf } from './command-dependencies.js';
import { UsageError } from './ending.js';

/** Empty, or a comment. */
const NOTHING = /^\s*(?:[#;].*)?$/;
/** A quotation mark within a bare value is a character, as JSON needs it. */
const ASSIGNMENT =
  /^\s*([A-Za-z_]\w*)\s*=\s*(?:'([^']*)'|"([^"\\]*)"|((?:[^\s'"`#\\][^#\\]*?)?))\s*$/;

/**
 * The environment with the settings of the files: a later file overrides an earlier one, and the
 * environment itself all. Throws a `UsageError` that names file and line, and no value.
 */
export function withSettingsFiles(environment: Environment, files: readonly string[]): Environment {
  const paths = files.map((file) => pathOf({ environment }, file));
  return Object.assign({}, ...paths.map((path) => settingsIn(textOf(path), path)), environment);
}

/** The settings in a file's text. `path`: the file's name in errors. */
export function settingsIn(text: string, path = ''): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (NOTHING.test(line)) continue;
    const [, name, single, double, bare] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined) {
      throw new UsageError(
        `line ${index + 1} of the settings file ${path} can be read in several ways; it must be a comment, or NAME=value, or NAME='value' where the value has a # or a backslash, or spaces or quotation marks at its ends`,
      );
    }
    settings[name] = single ?? double ?? bare ?? '';
  }
  return settings;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new UsageError(
      `the settings file ${path} cannot be read${code}; name a file that this user may read`,
    );
  }
}
