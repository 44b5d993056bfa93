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
import { commandOf, flag, oneOf, required, text, texts } from '../program/command.js';
import { type CommandDependencies, pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';

const CONNECTIONS = 8;

const SETTINGS = 'SERVICE_URL (http://127.0.0.1:8080/api/v1),\nADMIN_API_KEY or ADMIN_API_KEY_FILE';

/** The service that the settings name. */
function serviceOf(dependencies: CommandDependencies): Service {
  return new Service(readTarget(dependencies), dependencies);
}

function subject(value: string | undefined): string {
  return required('--account', "the account's subject", value);
}

function delimiter(given: string): string {
  const mark = given === 'tab' || given === '\\t' ? '\t' : given;
  if (mark.length === 1 && !/["\r\n]/.test(mark)) return mark;
  throw new UsageError(`--delimiter is ${JSON.stringify(given)}; it must be one character, or tab`);
}

export const IMPORT = commandOf({
  name: 'manage import',
  usage: 'FILE --account SUBJECT --into COLLECTION [options]',
  about: `A record for each row of FILE (.xlsx .csv .tsv .txt .ndjson .jsonl .json) or of
an export's folder; none unless all are good. Interrupted, run it again.`,
  options: {
    account: text('SUBJECT', 'the account that gets the records'),
    into: text('COLLECTION', COLLECTION_NAMES.join(', ')),
    map: texts('"Jina=name,…"', 'renames columns (in a header write \\, \\=)'),
    sheet: text('NAME', 'of a workbook that has several'),
    delimiter: text('MARK', 'between values. --encoding NAME. Both found unless given'),
    encoding: { type: 'string' },
    decimal: text(', | .', 'before a fraction. --dates dmy | mdy: what 05/06/2026 is'),
    dates: { type: 'string' },
    'dry-run': flag('only checks; exits with 1 if a row is bad'),
    report: text('FILE', 'all findings as CSV: file, line, column, problem, value'),
    'skip-bad': flag('leaves bad rows out, and writes the others'),
    existing: text('skip | create', 'what to do with rows that are records already'),
    reverse: flag('from the last row to the first'),
    'in-order': flag('one row after another, not eight at once'),
  },
  settings: SETTINGS,
  ending: 'orderly',
  isFrugal: true,
  async run({ values, file }, dependencies) {
    const { encoding, report, delimiter: mark } = values;
    warnOfSlips(dependencies);
    const options = {
      path: pathOf(dependencies, file),
      account: subject(values.account),
      into: oneOf('--into', COLLECTION_NAMES, values.into),
      reading: {
        map: parseMap(values.map ?? []),
        sheet: values.sheet,
        delimiter: mark === undefined ? undefined : delimiter(mark),
        decimal: oneOf('--decimal', [',', '.'], values.decimal),
        dates: oneOf('--dates', ['dmy', 'mdy'], values.dates),
      },
      encoding,
      isDryRun: values['dry-run'] === true,
      reportPath: report === undefined ? undefined : pathOf(dependencies, report),
      skipsBad: values['skip-bad'] === true,
      existing: oneOf('--existing', ['skip', 'create'], values.existing),
      isReversed: values.reverse === true,
      connections: values['in-order'] ? 1 : CONNECTIONS,
    };
    if (options.reportPath === options.path) {
      throw new UsageError('--report names the imported file itself; name another one');
    }
    return inWords(() => importData(options, () => serviceOf(dependencies), dependencies));
  },
});

export const EXPORT = commandOf({
  name: 'manage export',
  usage: '--account SUBJECT --to FOLDER [options]',
  about: `Writes everything of an account into a new FOLDER, oldest first: a file for
each collection that has records, the payments, the audit events. Import takes
the folder back, in either format.`,
  options: {
    account: text('SUBJECT', 'whose records'),
    to: text('FOLDER', 'new, or empty'),
    format: text('ndjson|csv', 'ndjson unless given'),
    collection: texts('NAME', 'only this one; may be repeated'),
    excel: flag('CSV with a byte order mark, and no cell is a formula'),
    delimiter: text('MARK', 'of CSV; a comma unless given'),
    decimal: text(', | .', 'of CSV; a point, but a comma with --delimiter ";"'),
  },
  settings: SETTINGS,
  ending: 'orderly',
  isFrugal: true,
  async run({ values }, dependencies) {
    const { excel: isForExcel = false, delimiter: mark, collection = COLLECTION_NAMES } = values;
    warnOfSlips(dependencies);
    const format = oneOf('--format', ['ndjson', 'csv'], values.format);
    const isCsv = isForExcel || (mark ?? values.decimal) !== undefined;
    if (format === 'ndjson' && isCsv) {
      throw new UsageError('--excel, --delimiter and --decimal are for --format csv');
    }
    const names = collection.map((name) => oneOf('--collection', COLLECTION_NAMES, name));
    const csv = {
      delimiter: delimiter(mark ?? ','),
      // A spreadsheet that wants a semicolon has a decimal comma.
      decimal: oneOf('--decimal', [',', '.'], values.decimal) ?? (mark === ';' ? ',' : '.'),
      isForExcel,
    };
    const options = {
      account: subject(values.account),
      folder: pathOf(dependencies, required('--to', 'a new folder', values.to)),
      collections: COLLECTION_NAMES.filter((name) => names.includes(name)),
      csv: format === 'csv' || isCsv ? csv : undefined,
    };
    const service = serviceOf(dependencies);
    const exported = await inWords(() => exportAccount(options, service, dependencies));
    dependencies.out(`${options.folder}: ${exportedText(exported)}\n`);
    if (!exported.changed) return;
    dependencies.out(
      `${options.account} changed during the export: records were created or deleted; export again for one moment\n`,
    );
  },
});

export const ERASE = commandOf({
  name: 'manage erase',
  usage: '--account SUBJECT --export-first FOLDER --confirm SUBJECT',
  about: `Exports the account into a new FOLDER, deletes every record that is in there,
checks that nothing is left, and adds a line to the ledger of erased accounts,
which restore and load read. Interrupted, run it again.`,
  options: {
    account: text('SUBJECT', 'the account'),
    'export-first': text('FOLDER', 'where its records are exported to; must not exist'),
    confirm: text('SUBJECT', 'the subject again'),
  },
  settings: `${SETTINGS},\nBACKUP_DIR or ERASURE_LEDGER, as for the service: where the ledger is`,
  ending: 'orderly',
  isFrugal: true,
  async run({ values }, dependencies) {
    const { environment } = dependencies;
    warnOfSlips(dependencies);
    const account = subject(values.account);
    const folder = required('--export-first', 'a new folder', values['export-first']);
    const confirm = required('--confirm', 'the account again', values.confirm);
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
});
