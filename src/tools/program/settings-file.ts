// Reads a file of settings, the one that systemd reads for the service's unit (`EnvironmentFile`).
// systemd and Node's own `parseEnv` agree on plain lines only: Node cuts a value at `#` and takes no
// backslash, systemd keeps the one and reads the other. So any other line is refused.

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from '../../hosts/settings/schema.js';
import { messageOf, pathOf, UsageError } from './command.js';

/** Nothing, a comment, or an assignment. A quotation mark within a bare value is a character, as JSON needs it. */
const PLAIN =
  /^\s*(?:[#;].*|[A-Za-z_]\w*\s*=\s*(?:'[^']*'|"[^"\\]*"|(?:[^\s'"`#\\][^#\\]*?)?)\s*)?$/;

/**
 * The environment with the settings of the files: a later file overrides an earlier one, and the
 * environment itself all. Throws a `UsageError` that names file and line, and no value.
 */
export function withSettingsFiles(environment: Environment, files: readonly string[]): Environment {
  const found = files.map((file) => {
    const path = pathOf({ environment }, file);
    try {
      return settingsIn(readFileSync(path, 'utf8'));
    } catch (error) {
      throw new UsageError(`the settings file ${path} cannot be read: ${messageOf(error)}`);
    }
  });
  return Object.assign({}, ...found, environment);
}

export function settingsIn(text: string): Readonly<Record<string, string | undefined>> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const wrong = lines.findIndex((line) => !PLAIN.test(line)) + 1;
  if (wrong === 0) return parseEnv(lines.filter((line) => !/^\s*[#;]/.test(line)).join('\n'));
  throw new Error(
    `line ${wrong} can be read in several ways; it must be a comment, or NAME=value, or NAME='value' where the value has a # or a backslash, or spaces or quotation marks at its ends`,
  );
}
