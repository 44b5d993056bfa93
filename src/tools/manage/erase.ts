// `manage erase`: an account is exported, and then deleted.

import { readBackups } from '../../hosts/settings.js';
import { ledgerPath } from '../../storage/erasures/ledger.js';
import { eraseAccount } from '../data/erase/erase-command.js';
import { inWords } from '../data/failures.js';
import type { Waits } from '../data/waiting.js';
import { required, text } from '../program/arguments.js';
import { type Command, commandOf } from '../program/command.js';
import { pathOf } from '../program/command-dependencies.js';
import { EXIT_DONE, UsageError } from '../program/ending.js';
import { SERVICE_SETTINGS, serviceOf, subject } from './service-options.js';

const OPTIONS = {
  account: text('SUBJECT', 'who is erased'),
  'export-first': text('FOLDER', 'where the records go before'),
  confirm: text('SUBJECT', 'the subject once more'),
};

export function eraseCommand(waits?: Waits): Command {
  return commandOf({
    name: 'manage erase',
    usage: '--account SUBJECT --export-first FOLDER --confirm SUBJECT',
    about: `Exports the account into a new FOLDER, deletes every record that is in there,
looks whether anything is left, and writes a line into the ledger of erased
accounts, which restore reads. Broken off, the same command goes on.`,
    options: OPTIONS,
    settings: [
      ...SERVICE_SETTINGS,
      [
        'BACKUP_DIR',
        "as the service has it, with BACKUP_INTERVAL_HOURS and\nBACKUP_KEEP: for the ledger, and the last backup's end",
      ],
      [
        'ERASURE_LEDGER',
        'another place for the ledger, as the service has it;\nneeded without BACKUP_DIR: with REPLICATION, over\nPostgres, on Workers',
      ],
    ],
    ending: 'orderly',
    isFrugal: true,
    async run({ values }, dependencies) {
      const { environment } = dependencies;
      const account = subject(values.account);
      const folder = required('--export-first', 'a new folder', values['export-first']);
      const confirm = required('--confirm', 'the account once more', values.confirm);
      if (confirm !== account) {
        throw new UsageError(
          `--confirm is ${JSON.stringify(confirm)}, --account is ${JSON.stringify(account)}; they must be the same`,
        );
      }
      const service = serviceOf(dependencies, waits);
      const ledger = ledgerPath(environment);
      if (ledger === undefined) {
        throw new UsageError(
          "neither BACKUP_DIR nor ERASURE_LEDGER is set; set one, since the ledger of erased accounts stands beside the backups' folder",
        );
      }
      const options = {
        account,
        exportFolder: pathOf(dependencies, folder),
        ledger,
        backups: readBackups(environment),
      };
      await inWords(() => eraseAccount(options, service(), dependencies));
      return EXIT_DONE;
    },
  });
}
