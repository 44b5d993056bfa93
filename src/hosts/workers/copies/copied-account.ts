// One account on its way into a copy.

import type { LeavingPiece } from '../../../storage/move/move-messages.js';
import { ContentsDigest } from '../../../storage/move/moved-rows.js';
import type { AccountStub } from '../account-call.js';
import { type IndexedAccount, lineOfRow, type Stretch } from './copy-format.js';
import type { CopyWriter } from './copy-writer.js';

/**
 * Reads the account piece by piece and writes it. Rejects with `NoAnswer` if the account
 * does not answer. An account of one piece is of one moment. If an account has several
 * pieces, a record that is changed between two of them is copied once: as it was before
 * the change or as it was after it.
 */
export async function copyAccount(
  account: string,
  stub: () => Pick<AccountStub, 'leavingPiece'>,
  writer: CopyWriter,
): Promise<IndexedAccount> {
  const digest = new ContentsDigest();
  const stretches: Stretch[] = [];
  const revisions = new Set<number>();
  let after = 0;
  // The lines of an account that failed half-way are in no index, so no restore reads them.
  writer.stretches();
  for (;;) {
    const { rows, last, isLast, revision, sequences } = await pieceOf(account, after, stub);
    revisions.add(revision);
    for (const row of rows) {
      writer.add(lineOfRow(row));
      await digest.add(row);
      if (!writer.isFull) continue;
      stretches.push(...writer.stretches());
      await writer.store();
    }
    if (isLast) {
      stretches.push(...writer.stretches());
      const changed_meanwhile = revisions.size > 1;
      return { account, ...(await digest.contents()), sequences, changed_meanwhile, stretches };
    }
    after = last;
  }
}

/** An account gave no answer; `cause` says why. */
export class NoAnswer extends Error {}

async function pieceOf(
  account: string,
  after: number,
  stub: () => Pick<AccountStub, 'leavingPiece'>,
): Promise<LeavingPiece> {
  try {
    const reply = await stub().leavingPiece(account, after);
    if (reply.ok) return reply.value;
    throw new Error(`${reply.status}: ${reply.message}`);
  } catch (error) {
    throw new NoAnswer('the account gave no answer', { cause: error });
  }
}
