// `manage export`: an account goes out into files.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { exportAccount, exportedText } from '../data/export/export-command.js';
import { inWords } from '../data/failures.js';
import type { Waits } from '../data/waiting.js';
import { flag, required, text, texts } from '../program/arguments.js';
import { type Command, commandOf } from '../program/command.js';
import { pathOf } from '../program/command-dependencies.js';
import { EXIT_DONE, UsageError } from '../program/ending.js';
import {
  collection,
  decimal,
  delimiter,
  oneOf,
  SERVICE_SETTINGS,
  serviceOf,
  subject,
} from './service-options.js';

const OPTIONS = {
  account: text('SUBJECT', 'whose records'),
  to: text('FOLDER', 'new, or empty'),
  format: text('ndjson|csv', 'ndjson unless given'),
  collection: texts('NAME', 'only this one; may be given again'),
  excel: flag(
    'CSV with a byte order mark, and an apostrophe before\ncells that begin with = + - @',
  ),
  delimiter: text('MARK', 'of CSV; a comma unless given'),
  decimal: text(
    ', | .',
    'before a fraction in CSV; unless given a comma\nbeside --delimiter ";", else a point',
  ),
};

export function exportCommand(waits?: Waits): Command {
  return commandOf({
    name: 'manage export',
    usage: '--account SUBJECT --to FOLDER [options]',
    about: `Writes everything of an account into a new FOLDER, oldest first: a file for
each collection that has records, the payments, the audit events. Import takes
the folder back, in either format.`,
    options: OPTIONS,
    settings: SERVICE_SETTINGS,
    ending: 'orderly',
    isFrugal: true,
    async run({ values }, dependencies) {
      const { excel: isForExcel = false } = values;
      const account = subject(values.account);
      const format = oneOf('--format', ['ndjson', 'csv'], values.format);
      const isCsv = isForExcel || (values.delimiter ?? values.decimal) !== undefined;
      if (format === 'ndjson' && isCsv) {
        throw new UsageError('--excel, --delimiter and --decimal are for --format csv');
      }
      const mark = delimiter(values.delimiter ?? ',');
      const names = values.collection?.map((name) => collection('--collection', name));
      const csv = {
        delimiter: mark,
        // A spreadsheet that wants a semicolon has a decimal comma.
        decimal: decimal(values.decimal) ?? (mark === ';' ? ',' : '.'),
        isForExcel,
      };
      const options = {
        account,
        folder: pathOf(dependencies, required('--to', 'a new folder', values.to)),
        collections: COLLECTION_NAMES.filter((name) => names?.includes(name) ?? true),
        csv: format === 'csv' || isCsv ? csv : undefined,
      };
      const service = serviceOf(dependencies, waits);
      const exported = await inWords(() => exportAccount(options, service(), dependencies));
      dependencies.out(`${options.folder}: ${exportedText(exported)}\n`);
      if (exported.changed) {
        dependencies.out(
          `${account} changed during the export: records were created or deleted; export again for one moment\n`,
        );
      }
      return EXIT_DONE;
    },
  });
}
