// The erased accounts that a restore has brought back, and what the operator does about them.

import { operatorCommand } from '../operator-command.js';
import { type CameBack, isBack, type Ledger } from './ledger.js';

/** The command that erases an account. */
export function eraseAgain(): string {
  return operatorCommand('erase --account SUBJECT --export-first FOLDER --confirm SUBJECT');
}

/** `owners`: the accounts of the restored database; `oldest` as for `isBack`. */
export function* cameBack(
  ledger: Ledger,
  owners: Iterable<{ readonly subject: string; readonly oldest: number }>,
): Generator<CameBack, void> {
  for (const { subject, oldest } of owners) {
    const erased = ledger.erasedAt(subject);
    if (erased !== undefined && isBack(erased, oldest)) yield { subject, erased };
  }
}

/** Paragraphs for the terminal; empty if no erased account is back. */
export function erasedAccountsReport(found: readonly CameBack[]): string {
  if (found.length === 0) return '';
  const lines = found.map(({ subject, erased }) => `${subject}  erased on ${erased}`);
  return `
Accounts that were erased came back with this backup:

${lines.join('\n')}

Start the service, then erase each of them again:
${eraseAgain()}
`;
}
