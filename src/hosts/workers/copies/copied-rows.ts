// An account's rows and audit events from a copy, cut into the pieces that an object takes.

import type { MovedEvent } from '../../../storage/move/move-messages.js';
import { charactersOf, type MovedRow, piecesOfStream } from '../../../storage/move/moved-rows.js';
import { eventOfLine, type IndexedAccount, type Manifest, rowOfLine } from './copy-format.js';
import { linesOf } from './lines.js';
import type { StoredCopies } from './stored-copies.js';

/** The rows in the order of their creation. Rejects if a file is missing or damaged. */
export async function* copiedRows(
  storedCopies: StoredCopies,
  copy: string,
  { stretches }: IndexedAccount,
): AsyncGenerator<MovedRow[]> {
  yield* piecesOfStream(rows(storedCopies, copy, stretches), charactersOf);
}

/** The account's audit events with their names, by which the directory takes none twice. */
export async function* copiedEvents(
  storedCopies: StoredCopies,
  { copy, files }: Manifest,
  account: string,
): AsyncGenerator<MovedEvent[]> {
  const audit = files.filter(({ content }) => content === 'audit').map(({ name }) => name);
  yield* piecesOfStream(events(storedCopies, copy, audit, account), ({ event }) => event.length);
}

async function* rows(
  storedCopies: StoredCopies,
  copy: string,
  stretches: IndexedAccount['stretches'],
) {
  for (const { file, offset, bytes: length } of stretches) {
    for await (const line of linesOf(await storedCopies.open(copy, file, { offset, length }))) {
      yield rowOfLine(line);
    }
  }
}

async function* events(
  storedCopies: StoredCopies,
  copy: string,
  files: readonly string[],
  account: string,
): AsyncGenerator<MovedEvent> {
  for (const file of files) {
    for await (const line of linesOf(await storedCopies.open(copy, file))) {
      const { name, event } = eventOfLine(line);
      // An event of an early release has no name. The directory has it already.
      if (name === null) continue;
      const [owner, epoch, number] = JSON.parse(name) as [string, string, number];
      if (owner === account) yield { owner, epoch, number, event };
    }
  }
}
