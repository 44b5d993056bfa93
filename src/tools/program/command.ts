// What a command gets from its process: settings, output, signals. And the exit codes.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Command } from '@commander-js/extra-typings';
import type { Environment } from '../../hosts/settings/schema.js';

export const EXIT = { done: 0, failed: 1, wrongUse: 2, interrupted: 130 };

/** The command line is invalid, or settings are missing. */
export class UsageError extends Error {
  readonly exitCode = EXIT.wrongUse;
}

/** The operator pressed Ctrl-C. The message says how to resume. */
export class Interrupted extends Error {
  readonly exitCode = EXIT.interrupted;
}

export interface Call {
  /** When a command runs, includes the files of `--settings`. */
  environment: Environment;
  /** Set by the command if it isn't 0. */
  exitCode?: number;
  out(text: string): void;
  /** Prints warnings and errors. */
  err(text: string): void;
  /** Aborted by Ctrl-C or SIGTERM after `listen` was called; before, they end the process. */
  readonly interrupted: AbortSignal;
  listen?(): void;
  readonly version: string;
}

/** Gives a command its description, options and action. */
export type DefineCommand = (command: Command, call: Call) => void;

/** Relative to the folder where npm was called, because npm runs scripts in the package's folder. */
export function pathOf({ environment }: { environment: Environment }, typed: string): string {
  return resolve(environment['INIT_CWD'] ?? '', typed);
}

/** Call it once per process. `entry`: the program's `import.meta.url`. */
export function terminal(entry: string): Call {
  // Without a listener, a reader of the output that exits, such as `head`, would end the command.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Without a listener, Node would open its debugger to every program of this machine.
  process.on('SIGUSR1', () => {});
  const interruption = new AbortController();
  interruption.signal.addEventListener('abort', () => {
    process.stderr.write('\nstopping: finishing what is in progress\n');
  });
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    interrupted: interruption.signal,
    listen: () => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interruption.abort());
    },
    version: JSON.parse(readFileSync(new URL('../package.json', entry), 'utf8')).version,
  };
}

/**
 * An empty line, a comment, or an assignment that systemd (`EnvironmentFile`) and `parseEnv` parse
 * alike: Node cuts a value at `#` and keeps backslashes; systemd keeps `#` and interprets
 * backslashes. A quotation mark inside an unquoted value is literal, as JSON needs it.
 */
const PORTABLE_LINE =
  /^\s*(?:[#;].*|[A-Za-z_]\w*\s*=\s*(?:'[^']*'|"[^"\\]*"|(?:[^\s'"`#\\][^#\\]*?)?)\s*)?$/;

/**
 * The environment and the settings files. A later file overrides an earlier one; the environment
 * overrides them all.
 */
export function withSettingsFiles(environment: Environment, files: readonly string[]): Environment {
  const found = files.map((file) => {
    const path = pathOf({ environment }, file);
    return settingsIn(readFileSync(path, 'utf8'), path);
  });
  return Object.assign({}, ...found, environment);
}

/** Throws a `UsageError` that names the file and the line, but no value. */
export function settingsIn(text: string, path = ''): Environment {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const wrong = lines.findIndex((line) => !PORTABLE_LINE.test(line)) + 1;
  if (wrong === 0) return parseEnv(lines.filter((line) => !/^\s*[#;]/.test(line)).join('\n'));
  throw new UsageError(
    `${path} line ${wrong} is ambiguous; it must be a comment, or NAME=value, or NAME='value' where the value has a # or a backslash, or spaces or quotation marks at its ends`,
  );
}
