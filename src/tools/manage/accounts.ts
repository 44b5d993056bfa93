// The commands `import`, `export` and `erase`, which use a running service.

import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { eraseAccount } from '../data/erase/erase-command.js';
import { exportAccount } from '../data/export/export-command.js';
import { parseMap } from '../data/import/columns.js';
import { importData } from '../data/import/import-command.js';
import { parseEncoding } from '../data/import/source-file.js';
import { adminKeyIn, ServiceClient, serviceUrl } from '../data/service-client.js';
import { type Call, type DefineCommand, pathOf, UsageError } from '../program/command.js';

const SETTINGS = 'Settings: SERVICE_URL (http://127.0.0.1:8080/api/v1), ADMIN_API_KEY(_FILE)';

/** After this, Ctrl-C lets calls in progress finish. */
function openService(call: Call, work?: 'import' | 'erase'): ServiceClient {
  const baseUrl = serviceUrl(call.environment['SERVICE_URL'] ?? '', 'SERVICE_URL');
  const adminKey = adminKeyIn(call.environment);
  call.listen?.();
  return new ServiceClient({ baseUrl, adminKey }, call, work);
}

const DECIMAL = new Option('--decimal <mark>', 'the decimal mark').choices([',', '.']);

function delimiter(given: string): string {
  const mark = given.replace(/^(?:tab|\\t)$/, '\t');
  if (/^[^"\r\n]$/.test(mark)) return mark;
  throw new InvalidArgumentError('It must be one character, or tab.');
}

const importRecords: DefineCommand = (command, call) =>
  command
    .description(`Create a record for each row of a file (.xlsx .csv .tsv .txt .ndjson .jsonl
.json), or of an export's folder, if all rows are valid. After an interruption,
run it again with --existing skip.
${SETTINGS}`)
    .argument('<file>')
    .requiredOption('--account <subject>', 'the account that gets the records')
    .addOption(new Option('--into <collection>', 'for a file').choices(COLLECTION_NAMES))
    .option('--map <pairs>', 'rename columns: "Jina=name" (escape \\, and \\=)', parseMap)
    .option('--sheet <name>', 'the sheet, if several have cells')
    .option('--delimiter <mark>', 'for CSV; detected by default', delimiter)
    .option('--encoding <name>', 'such as windows-1252; detected by default', parseEncoding)
    .addOption(DECIMAL)
    .addOption(new Option('--dates <order>', 'how to read 05/06/2026').choices(['dmy', 'mdy']))
    .option('--skip-hidden', 'skip rows that the workbook hides')
    .option('--dry-run', 'validate only; exit with 1 if a row is bad')
    .option('--report <file>', 'write all problems to this file, as CSV')
    .option('--skip-bad', 'import the valid rows even if others are bad')
    .addOption(new Option('--existing <action>', 'for equal records').choices(['skip', 'create']))
    .option('--reverse', 'import the last row first')
    .option('--in-order', 'send one row at a time, not eight')
    .action(async (file, options) => {
      const path = pathOf(call, file);
      const report = options.report && pathOf(call, options.report);
      if (report === path) throw new UsageError('--report names the imported file; name another');
      const service = options.dryRun ? undefined : openService(call, 'import');
      call.exitCode = await importData({ ...options, path, report }, service, call);
    });

const exportRecords: DefineCommand = (command, call) =>
  command
    .description(`Write an account's records, payments and audit events to files in a new folder.
Either format can be imported again.
${SETTINGS}`)
    .requiredOption('--account <subject>', "the account's subject")
    .requiredOption('--to <folder>', 'a new folder, or an empty one')
    .addOption(new Option('--format <name>', 'ndjson by default').choices(['ndjson', 'csv']))
    .addOption(new Option('--collection <name...>', 'export these only').choices(COLLECTION_NAMES))
    .option('--excel', 'CSV for Excel: with a byte order mark, without formulas')
    .option('--delimiter <mark>', 'for CSV; a comma by default', delimiter)
    .addOption(DECIMAL)
    .action(async ({ account, to, format, collection, excel = false, delimiter, decimal }) => {
      const style = {
        delimiter: delimiter ?? ',',
        // A spreadsheet program that expects semicolons uses a decimal comma.
        decimal: decimal ?? (delimiter === ';' ? ',' : '.'),
        isForExcel: excel,
      };
      const isStyled = excel || (delimiter ?? decimal) !== undefined;
      if (format === 'ndjson' && isStyled) {
        throw new UsageError('--excel, --delimiter and --decimal are for --format csv');
      }
      const folder = pathOf(call, to);
      const collections = COLLECTION_NAMES.filter((name) => collection?.includes(name) ?? true);
      const csv = format === 'csv' || isStyled ? style : undefined;
      const options = { account, folder, collections, csv };
      const { summary, changed } = await exportAccount(options, openService(call));
      call.out(`${folder}: ${summary}\n`);
      if (changed) call.out(`${account} changed during the export; export again for a snapshot\n`);
    });

export const erase: DefineCommand = (command, call) =>
  command
    .description(`Export an account to a new folder, add it to the ledger of erased accounts, and
delete its records. After an interruption, run it again with a new folder.
${SETTINGS},
BACKUP_DIR or ERASURE_LEDGER as the service has them: where the ledger is`)
    .requiredOption('--account <subject>', "the account's subject")
    .requiredOption('--export-first <folder>', 'a new folder for its records')
    .requiredOption('--confirm <subject>', 'the subject again')
    .action(async ({ account, exportFirst, confirm }) => {
      if (confirm !== account) throw new UsageError(`--confirm must be the subject, "${account}"`);
      await eraseAccount(account, pathOf(call, exportFirst), openService(call, 'erase'), call);
    });

export { exportRecords as export, importRecords as import };
