// The commands over a running service: an account's records come in from a file, go out into
// files, or are erased.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { readBackups } from '../../hosts/settings.js';
import { ledgerPath } from '../../storage/erasures/ledger.js';
import { eraseAccount } from '../data/erase/erase-command.js';
import { exportAccount, exportedText } from '../data/export/export-command.js';
import { inWords } from '../data/failures.js';
import { parseMap } from '../data/import/columns.js';
import { importData } from '../data/import/import-command.js';
import { readTarget, Service } from '../data/service.js';
import { COMMON, type Command, type Given } from '../program/command.js';
import { type CommandDependencies, pathOf } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';

const CONNECTIONS = 8;
const SETTINGS = 'Settings: SERVICE_URL (http://127.0.0.1:8080/api/v1), ADMIN_API_KEY(_FILE)';

/** The service that the settings name. */
function serviceOf(dependencies: CommandDependencies): Service {
  return new Service(readTarget(dependencies), dependencies);
}

const accountOf = (given: Given) => given.required('account', "the account's subject");

/** Undefined if the option is not given. */
function delimiterOf(given: Given): string | undefined {
  const mark = given.text('delimiter')?.replace(/^(?:tab|\\t)$/, '\t');
  if (mark === undefined || /^[^"\r\n]$/.test(mark)) return mark;
  throw new UsageError(`--delimiter is ${JSON.stringify(mark)}; it must be one character, or tab`);
}

export const IMPORT: Command = {
  help: `manage import FILE --account SUBJECT --into COLLECTION [options]

A record for each row of FILE (.xlsx .csv .tsv .txt .ndjson .jsonl .json) or of
an export's folder; none unless all are good. Interrupted, run it again.
${SETTINGS}.

  --account SUBJECT     the account that gets the records
  --into COLLECTION     ${COLLECTION_NAMES.join(', ')}
  --map "Jina=name,…"   renames columns (in a header write \\, \\=)
  --sheet NAME          of a workbook that has several
  --delimiter MARK      between values. --encoding NAME Both found unless given
  --decimal MARK        , or . before a fraction. --dates dmy|mdy: 05/06/2026
  --dry-run             only checks; exits with 1 if a row is bad
  --report FILE         all findings as CSV: file, line, column, problem, value
  --skip-bad            leaves bad rows out, and writes the others
  --existing skip|create  what to do with rows that are records already
  --reverse             from the last row to the first
  --in-order            one row after another, not eight at once
${COMMON}`,
  ending: 'orderly',
  async run(given, dependencies) {
    const report = given.text('report');
    const options = {
      path: pathOf(dependencies, given.file),
      account: accountOf(given),
      into: given.oneOf('into', COLLECTION_NAMES),
      reading: {
        map: parseMap(given.texts('map')),
        sheet: given.text('sheet'),
        delimiter: delimiterOf(given),
        decimal: given.oneOf('decimal', [',', '.']),
        dates: given.oneOf('dates', ['dmy', 'mdy']),
      },
      encoding: given.text('encoding'),
      isDryRun: given.flag('dry-run'),
      reportPath: report === undefined ? undefined : pathOf(dependencies, report),
      skipsBad: given.flag('skip-bad'),
      existing: given.oneOf('existing', ['skip', 'create']),
      isReversed: given.flag('reverse'),
      connections: given.flag('in-order') ? 1 : CONNECTIONS,
    };
    if (options.reportPath === options.path) {
      throw new UsageError('--report names the imported file itself; name another one');
    }
    return inWords(() => importData(options, () => serviceOf(dependencies), dependencies));
  },
};

export const EXPORT: Command = {
  help: `manage export --account SUBJECT --to FOLDER [options]

Writes everything of an account into a new FOLDER, oldest first: a file for
each collection that has records, the payments, the audit events. Import takes
the folder back, in either format.
${SETTINGS}.

  --account SUBJECT     whose records
  --to FOLDER           new, or empty
  --format ndjson|csv   ndjson unless given
  --collection NAME…    only this one; may be repeated
  --excel               CSV with a byte order mark, and no cell is a formula
  --delimiter MARK      of CSV; a comma unless given
  --decimal MARK        , or . of CSV; a point unless the delimiter is ;
${COMMON}`,
  ending: 'orderly',
  async run(given, dependencies) {
    const [mark, isForExcel] = [delimiterOf(given) ?? ',', given.flag('excel')];
    const format = given.oneOf('format', ['ndjson', 'csv']);
    // A spreadsheet that wants a semicolon has a decimal comma.
    const decimal = given.oneOf('decimal', [',', '.']) ?? (mark === ';' ? ',' : '.');
    const isCsv = isForExcel || (given.text('delimiter') ?? given.text('decimal')) !== undefined;
    if (format === 'ndjson' && isCsv) {
      throw new UsageError('--excel, --delimiter and --decimal are for --format csv');
    }
    const names = given
      .texts('collection')
      .map((name) => given.oneOf('collection', COLLECTION_NAMES, name));
    const options = {
      account: accountOf(given),
      folder: pathOf(dependencies, given.required('to', 'a new folder')),
      collections: COLLECTION_NAMES.filter((name) => names.length === 0 || names.includes(name)),
      csv: format === 'csv' || isCsv ? { delimiter: mark, decimal, isForExcel } : undefined,
    };
    const service = serviceOf(dependencies);
    const exported = await inWords(() => exportAccount(options, service, dependencies));
    dependencies.out(`${options.folder}: ${exportedText(exported)}\n`);
    if (exported.changed) {
      dependencies.out(
        `${options.account} changed during the export: records were created or deleted; export again for one moment\n`,
      );
    }
  },
};

export const ERASE: Command = {
  help: `manage erase --account SUBJECT --export-first FOLDER --confirm SUBJECT

Exports the account into a new FOLDER, deletes every record that is in there,
checks that nothing is left, and adds a line to the ledger of erased accounts,
which restore and load read. Interrupted, run it again.
${SETTINGS}, and
BACKUP_DIR or ERASURE_LEDGER, as for the service: where the ledger is.

  --account SUBJECT     the account
  --export-first FOLDER  where its records are exported to; must not exist
  --confirm SUBJECT     the subject again
${COMMON}`,
  ending: 'orderly',
  async run(given, dependencies) {
    const { environment } = dependencies;
    const account = accountOf(given);
    const folder = given.required('export-first', 'a new folder');
    const confirm = given.required('confirm', 'the account again');
    if (confirm !== account) {
      throw new UsageError(
        `--confirm is ${JSON.stringify(confirm)}, --account is ${JSON.stringify(account)}; they must be the same`,
      );
    }
    const service = serviceOf(dependencies);
    const ledger = ledgerPath(environment);
    if (ledger === undefined) {
      throw new UsageError(
        "neither BACKUP_DIR nor ERASURE_LEDGER is set; set one, since the ledger of erased accounts stands beside the backups' folder",
      );
    }
    const exportFolder = pathOf(dependencies, folder);
    const options = { account, exportFolder, ledger, backups: readBackups(environment) };
    await inWords(() => eraseAccount(options, service, dependencies));
  },
};
