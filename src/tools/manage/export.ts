// `manage export`: an account goes out into files.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { exportAccount, exportedText } from '../data/export/export-command.js';
import { inWords } from '../data/failures.js';
import { commandOf, flag, oneOf, required, text, texts } from '../program/command.js';
import { pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';
import { delimiter, SERVICE_SETTINGS, serviceOf, subject } from './service-options.js';

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
  settings: SERVICE_SETTINGS,
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
