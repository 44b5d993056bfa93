// The text that --help prints.

import { COLLECTION_NAMES } from '../domain/collection-name.js';
import { COMMON_HELP } from '../program/arguments.js';

const SETTINGS = `Settings (environment)
  SERVICE_URL         the service, /api/v1 included (http://127.0.0.1:8080/api/v1)
  ADMIN_API_KEY       its admin key, or
  ADMIN_API_KEY_FILE  a file with the key in its first line
`;

const EXIT_CODES = `Exit codes: 0 done, 1 failed, 2 not understood, 130 stopped with Ctrl-C.
`;

export const HELP = `Data in and out of the service, through its administration API.

  npm run import -- FILE --account SUBJECT --into COLLECTION
  npm run export -- --account SUBJECT --to FOLDER
  npm run erase  -- --account SUBJECT --export-first FOLDER --confirm SUBJECT

Each command has its own --help.

${SETTINGS}
${EXIT_CODES}`;

export const IMPORT_HELP = `npm run import -- FILE --account SUBJECT --into COLLECTION [options]

Creates a record for each row of FILE (.csv .tsv .txt .ndjson .jsonl .json), or
all records of an export's folder. Every row is judged first; nothing is written
unless all are good. Run again, it goes on where it stopped.

  --account SUBJECT     whose records they become
  --into COLLECTION     ${COLLECTION_NAMES.join(', ')}
  --map "Jina=name,Simu=phone"
                        columns that become other properties; the others keep
                        their header (write \\, and \\= for marks in a header)
  --delimiter MARK      between values; found in the first line unless given
  --encoding NAME       utf-8, windows-1252, utf-16le, …; strict UTF-8 unless
                        given, else Windows-1252
  --decimal , | .       the mark before the fraction in amount, price and paid
  --dry-run             judges only; exits with 1 where a row is bad
  --report FILE         all findings as CSV: file, line, column, problem, value
  --skip-bad            leaves bad rows out, and writes the others
  --reverse             from the last row to the first
  --in-order            one row after the other: records in the order of the rows
  --connections 8       how many rows are under way at once
${COMMON_HELP}
${SETTINGS}
${EXIT_CODES}`;

export const EXPORT_HELP = `npm run export -- --account SUBJECT | --all  --to FOLDER [options]

Writes a file for each collection, the payments, the audit events and a manifest
into a new FOLDER, oldest first.

  --account SUBJECT     whose records, or
  --all                 those of all accounts, a folder for each
  --to FOLDER           new, or empty
  --format ndjson|csv   ndjson (the default) loses nothing
  --collection NAME     only this one; may be given again
  --excel               CSV with a byte order mark; cells that begin with = + - @
                        get an apostrophe, so that none is taken for a formula
  --delimiter MARK      of CSV; a comma unless given
${COMMON_HELP}
${SETTINGS}
${EXIT_CODES}`;

export const ERASE_HELP = `npm run erase -- --account SUBJECT --export-first FOLDER --confirm SUBJECT

Exports the account into a new FOLDER, deletes every record that is in there,
looks whether anything is left, and writes a line into the ledger of erased
accounts, which restore reads. Broken off, the same command goes on.

  --account SUBJECT     who is erased
  --export-first FOLDER where the records go before
  --confirm SUBJECT     the subject once more
${COMMON_HELP}
${SETTINGS}  BACKUP_DIR, BACKUP_INTERVAL_HOURS, BACKUP_KEEP
                      as the service has them: the ledger stands beside the
                      folder, and the last backup's end is reckoned
  ERASURE_LEDGER      another place for the ledger; needed without BACKUP_DIR, so
                      with REPLICATION and on Workers; as the service has it

${EXIT_CODES}`;
