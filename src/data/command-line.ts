// Reads the command line: which command is meant, and its options.

import {
  COLLECTION_NAMES,
  type CollectionName,
  isCollectionName,
} from '../domain/collection-name.js';
import { expectNoPositionals, onlyPositional, readArguments } from '../program/arguments.js';
import { UsageError } from '../program/ending.js';
import { ERASE_HELP, EXPORT_HELP, HELP, IMPORT_HELP } from './help.js';
import { parseMap } from './import/columns.js';
import type { DecimalMark } from './import/number-text.js';
import { knownEncoding } from './import/source-file.js';
import { required, subject } from './option-values.js';

export interface ImportArguments {
  readonly file: string;
  readonly account: string;
  readonly into: CollectionName | undefined;
  readonly map: ReadonlyMap<string, string>;
  readonly delimiter: string | undefined;
  readonly encoding: string | undefined;
  readonly decimal: DecimalMark | undefined;
  readonly isDryRun: boolean;
  readonly report: string | undefined;
  readonly skipsBad: boolean;
  readonly isReversed: boolean;
  readonly connections: number;
}

export interface ExportArguments {
  /** Undefined: all collections. */
  readonly account: string | undefined;
  readonly to: string;
  readonly format: 'ndjson' | 'csv';
  readonly collections: readonly CollectionName[];
  readonly isForExcel: boolean;
  readonly delimiter: string;
}

export interface EraseArguments {
  readonly account: string;
  readonly exportFirst: string;
}

export type Command =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | ((
      | { readonly kind: 'import'; readonly given: ImportArguments }
      | { readonly kind: 'export'; readonly given: ExportArguments }
      | { readonly kind: 'erase'; readonly given: EraseArguments }
    ) & {
      /** Where settings are, besides the environment. */
      readonly settingsFiles: readonly string[];
    });

const CONNECTIONS_DEFAULT = 8;
const CONNECTIONS_MAX = 64;
const DELIMITER_NAMES: Readonly<Record<string, string>> = { tab: '\t', '\\t': '\t' };

const IMPORT = {
  name: 'import',
  help: IMPORT_HELP,
  options: {
    account: { type: 'string' },
    into: { type: 'string' },
    map: { type: 'string', multiple: true },
    delimiter: { type: 'string' },
    encoding: { type: 'string' },
    decimal: { type: 'string' },
    'dry-run': { type: 'boolean' },
    report: { type: 'string' },
    'skip-bad': { type: 'boolean' },
    reverse: { type: 'boolean' },
    'in-order': { type: 'boolean' },
    connections: { type: 'string' },
  },
} as const;

const EXPORT = {
  name: 'export',
  help: EXPORT_HELP,
  options: {
    account: { type: 'string' },
    all: { type: 'boolean' },
    to: { type: 'string' },
    format: { type: 'string' },
    collection: { type: 'string', multiple: true },
    excel: { type: 'boolean' },
    delimiter: { type: 'string' },
  },
} as const;

const ERASE = {
  name: 'erase',
  help: ERASE_HELP,
  options: {
    account: { type: 'string' },
    'export-first': { type: 'string' },
    confirm: { type: 'string' },
  },
} as const;

/** Throws a `UsageError` with one sentence. */
export function parseCommand(args: readonly string[]): Command {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h' || name === 'help') return { kind: 'help', text: HELP };
  if (name === '--version') return { kind: 'version' };
  if (name === 'import') return importCommand(rest);
  if (name === 'export') return exportCommand(rest);
  if (name === 'erase') return eraseCommand(rest);
  const given = name === undefined ? 'no command is given' : `${name} is no command`;
  throw new UsageError(`${given}; it must be import, export or erase (--help says more)`);
}

function importCommand(args: string[]): Command {
  const { asked, values, positionals, settingsFiles } = readArguments(IMPORT, args);
  if (asked !== undefined) return toPrint(asked, IMPORT.help);
  const file = onlyPositional(IMPORT, positionals);
  if (values['in-order'] && values.connections !== undefined) {
    throw new UsageError('--in-order uses one connection; leave --connections out');
  }
  return {
    kind: 'import',
    settingsFiles,
    given: {
      file,
      account: subject(values.account),
      into: values.into === undefined ? undefined : collection('--into', values.into),
      map: parseMap(values.map ?? []),
      delimiter: values.delimiter === undefined ? undefined : delimiter(values.delimiter),
      encoding: values.encoding === undefined ? undefined : knownEncoding(values.encoding),
      decimal: decimal(values.decimal),
      isDryRun: values['dry-run'] === true,
      report: values.report,
      skipsBad: values['skip-bad'] === true,
      isReversed: values.reverse === true,
      connections: values['in-order'] ? 1 : connections(values.connections),
    },
  };
}

function exportCommand(args: string[]): Command {
  const { asked, values, positionals, settingsFiles } = readArguments(EXPORT, args);
  if (asked !== undefined) return toPrint(asked, EXPORT.help);
  expectNoPositionals(EXPORT, positionals);
  if ((values.all === true) === (values.account !== undefined)) {
    const given = values.all ? 'both given' : 'both missing';
    throw new UsageError(`--account and --all are ${given}; give one of them`);
  }
  if (values.all !== true) subject(values.account);
  const isForExcel = values.excel === true;
  const format = values.format ?? (isForExcel ? 'csv' : 'ndjson');
  if (format !== 'ndjson' && format !== 'csv') {
    throw new UsageError(`--format is ${JSON.stringify(format)}; it must be ndjson or csv`);
  }
  if (format === 'ndjson' && (isForExcel || values.delimiter !== undefined)) {
    throw new UsageError('--excel and --delimiter are for --format csv; give it, too');
  }
  const names = values.collection?.map((name) => collection('--collection', name));
  return {
    kind: 'export',
    settingsFiles,
    given: {
      account: values.account,
      to: required('--to', 'a new folder', values.to),
      format,
      collections: COLLECTION_NAMES.filter((name) => names?.includes(name) ?? true),
      isForExcel,
      delimiter: delimiter(values.delimiter ?? ','),
    },
  };
}

function eraseCommand(args: string[]): Command {
  const { asked, values, positionals, settingsFiles } = readArguments(ERASE, args);
  if (asked !== undefined) return toPrint(asked, ERASE.help);
  expectNoPositionals(ERASE, positionals);
  const account = subject(values.account);
  const exportFirst = required('--export-first', 'a new folder', values['export-first']);
  const confirm = required('--confirm', 'the account once more', values.confirm);
  if (confirm !== account) {
    throw new UsageError(
      `--confirm is ${JSON.stringify(confirm)}, --account is ${JSON.stringify(account)}; they must be the same`,
    );
  }
  return { kind: 'erase', settingsFiles, given: { account, exportFirst } };
}

function toPrint(asked: 'help' | 'version', help: string): Command {
  return asked === 'help' ? { kind: 'help', text: help } : { kind: 'version' };
}

function collection(option: string, name: string): CollectionName {
  if (isCollectionName(name)) return name;
  throw new UsageError(
    `${option} is ${JSON.stringify(name)}; it must be one of ${COLLECTION_NAMES.join(', ')}`,
  );
}

function delimiter(given: string): string {
  const mark = DELIMITER_NAMES[given] ?? given;
  if (mark.length === 1 && !/["\r\n]/.test(mark)) return mark;
  throw new UsageError(`--delimiter is ${JSON.stringify(given)}; it must be one character, or tab`);
}

function decimal(given: string | undefined): DecimalMark | undefined {
  if (given === undefined || given === ',' || given === '.') return given;
  throw new UsageError(`--decimal is ${JSON.stringify(given)}; it must be , or .`);
}

function connections(given: string | undefined): number {
  if (given === undefined) return CONNECTIONS_DEFAULT;
  const count = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (count >= 1 && count <= CONNECTIONS_MAX) return count;
  throw new UsageError(
    `--connections is ${JSON.stringify(given)}; it must be a whole number from 1 to ${CONNECTIONS_MAX}`,
  );
}
