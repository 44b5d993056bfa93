// `manage import`: a spreadsheet, or an export, becomes an account's records.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { inWords } from '../data/failures.js';
import { parseMap } from '../data/import/columns.js';
import { importData } from '../data/import/import-command.js';
import { knownEncoding } from '../data/import/source-file.js';
import { commandOf, flag, oneOf, text, texts } from '../program/command.js';
import { pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';
import { delimiter, SERVICE_SETTINGS, serviceOf, subject } from './service-options.js';

const CONNECTIONS = 8;

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
  settings: SERVICE_SETTINGS,
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
      encoding: encoding === undefined ? undefined : knownEncoding(encoding),
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
