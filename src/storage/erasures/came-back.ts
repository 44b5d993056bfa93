// Erased accounts that an older state of the database has brought back, and what the operator does.

import type { Ledger } from './ledger.js';

/** The command that erases an account. */
export const ERASE_AGAIN =
  'service-management erase --account SUBJECT --export-first FOLDER --confirm SUBJECT (in a clone: npm run erase -- …)';

/** An erased account that is in a database again. */
export interface CameBack {
  readonly subject: string;
  /** RFC 3339, UTC. */
  readonly erased: string;
}

/**
 * `oldest`: the creation time of the account's oldest record, in milliseconds since 1970,
 * UTC. If it is after the erasure, the account is new and has not come back.
 */
export function isBack(erased: string, oldest: number): boolean {
  return oldest < Date.parse(erased);
}

/** Of the accounts of a restored database. `oldest` as for `isBack`. */
export function cameBack(
  ledger: Ledger,
  owners: readonly { readonly subject: string; readonly oldest: number }[],
): CameBack[] {
  return owners.flatMap(({ subject, oldest }) => {
    const erased = ledger.erasedAt(subject);
    return erased !== undefined && isBack(erased, oldest) ? [{ subject, erased }] : [];
  });
}

/** Paragraphs for the terminal; empty if no erased account is back. */
export function erasedAccountsReport(found: readonly CameBack[]): string {
  if (found.length === 0) return '';
  const lines = found.map(({ subject, erased }) => `${subject}  erased on ${erased}`).join('\n');
  return `
Accounts that were erased came back with this backup:

${lines}

Start the service, then erase each of them again:
${ERASE_AGAIN}
`;
}
