// The message of a restore about erased accounts that are in the backup.

import { dirname } from 'node:path';
import { accountsThatCameBack, ledgerPath } from './ledger.js';

/** Paragraphs for the terminal; empty if no erased account is back. Never rejects, because the restore has done its work. */
export async function erasedAccountsReport(
  environment: Readonly<Record<string, string | undefined>>,
  backup: string,
  owners: Iterable<{ readonly subject: string; readonly oldest: number }>,
): Promise<string> {
  // The ledger stands beside the backup's folder, unless the settings name another place.
  const path = ledgerPath(environment, environment['BACKUP_DIR'] || dirname(backup)) ?? '';
  try {
    const found = await accountsThatCameBack(path, owners);
    if (found.length === 0) return '';
    const lines = found.map(({ subject, erased }) => `${subject}  erased on ${erased}`);
    return `
Accounts that were erased came back with this backup:

${lines.join('\n')}

Start the service, then erase each of them again:
npm run erase -- --account SUBJECT --export-first FOLDER --confirm SUBJECT
`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `\nWhether erased accounts came back is not known: ${reason}; look into ${path}\n`;
  }
}
