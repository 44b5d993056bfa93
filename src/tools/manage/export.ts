// `manage export`: an account, or all of them, goes out into files.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { exportData } from '../data/export/export-command.js';
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
  SERVICE_SETTINGS,
  serviceOf,
  subject,
} from './service-options.js';

const OPTIONS = {
  account: text('SUBJECT', 'whose records, or'),
  all: flag('those of all accounts, a folder for each'),
  to: text('FOLDER', 'new, or empty'),
  format: text('ndjson|csv', 'ndjson (the default) loses nothing'),
  collection: texts('NAME', 'only this one; may be given again'),
  excel: flag(
    'CSV with a byte order mark; cells that begin with\n= + - @ get an apostrophe: none is taken for a formula',
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
    usage: '--account SUBJECT | --all  --to FOLDER [options]',
    about: `Writes a file for each collection, the payments, the audit events and a manifest
into a new FOLDER, oldest first.`,
    options: OPTIONS,
    settings: SERVICE_SETTINGS,
    ending: 'orderly',
    isFrugal: true,
    async run({ values }, dependencies) {
      const { account, all = false, excel: isForExcel = false } = values;
      if (all === (account !== undefined)) {
        const given = all ? 'both given' : 'both missing';
        throw new UsageError(`--account and --all are ${given}; give one of them`);
      }
      const format = values.format ?? (isForExcel ? 'csv' : 'ndjson');
      if (format !== 'ndjson' && format !== 'csv') {
        throw new UsageError(`--format is ${JSON.stringify(format)}; it must be ndjson or csv`);
      }
      const isForCsv = isForExcel || (values.delimiter ?? values.decimal) !== undefined;
      if (format === 'ndjson' && isForCsv) {
        throw new UsageError(
          '--excel, --delimiter and --decimal are for --format csv; give it, too',
        );
      }
      const mark = delimiter(values.delimiter ?? ',');
      const names = values.collection?.map((name) => collection('--collection', name));
      const options = {
        account: all ? undefined : subject(account),
        folder: pathOf(dependencies, required('--to', 'a new folder', values.to)),
        format,
        collections: COLLECTION_NAMES.filter((name) => names?.includes(name) ?? true),
        style: {
          delimiter: mark,
          // A spreadsheet that wants a semicolon has a decimal comma.
          decimal: decimal(values.decimal) ?? (mark === ';' ? ',' : '.'),
          isForExcel,
        },
      } as const;
      const service = serviceOf(dependencies, waits);
      await inWords(() => exportData(options, service(), dependencies));
      return EXIT_DONE;
    },
  });
}
