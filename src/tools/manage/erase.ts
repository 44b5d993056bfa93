// `manage erase`: an account is exported, and then deleted.

import { readBackups } from '../../hosts/settings.js';
import { ledgerPath } from '../../storage/erasures/ledger.js';
import { eraseAccount } from '../data/erase/erase-command.js';
import { inWords } from '../data/failures.js';
import { commandOf, required, text } from '../program/command.js';
import { pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { UsageError } from '../program/ending.js';
import { SERVICE_SETTINGS, serviceOf, subject } from './service-options.js';

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
  settings: `${SERVICE_SETTINGS},\nBACKUP_DIR or ERASURE_LEDGER, as for the service: where the ledger is`,
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
