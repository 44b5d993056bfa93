// From a database file to another place, account by account. Whatever is there already is
// left out, so the same command goes on after any end.

import type { FileAccounts, FileEvent } from '../../storage/move/file-accounts.js';
import type { MovedEvent } from '../../storage/move/move-messages.js';
import {
  type AnnouncedAccount,
  ContentsDigest,
  piecesOf,
  rowName,
  rowProblem,
  sha256,
} from '../../storage/move/moved-rows.js';
import { CommandError } from '../data/failures.js';
import { several } from '../data/several.js';
import { type CommandDependencies, pause } from '../program/command-dependencies.js';
import { type Progress, startProgress } from '../program/progress.js';
import { type OtherPlace, Refused } from './other-place.js';

/** Each account is an object of its own: most of the time is on the way. */
const ACCOUNTS_AT_ONCE = 8;
/** Of a hash, so that an event is known by its text. */
const EPOCH_CHARACTERS = 16;
/** How often the directory is looked at until it shows every account. */
const LOOKS_MAX = 30;
const LOOK_EVERY_MS = 1_000;
const EVENTS_WAITING_MAX = 1_000;

export interface Choice {
  readonly account: string | undefined;
  readonly withheld: ReadonlyMap<string, string>;
}

export interface MovedIn {
  readonly accounts: number;
  readonly records: number;
  /** Records that were there before this run. */
  readonly wereThere: number;
  readonly events: number;
  /** Accounts that are not there, with the reason. */
  readonly left: ReadonlyMap<string, string>;
  /** Accounts that the directory does not show yet. */
  readonly unseen: number;
}

/**
 * `account`: undefined for all. `withheld`: accounts that stay, with the reason. Rejects where
 * nothing can go on; an account that is refused alone is in `left`.
 */
export async function moveIn(
  file: FileAccounts,
  { account, withheld }: Choice,
  place: OtherPlace,
  dependencies: CommandDependencies,
): Promise<MovedIn> {
  if (account !== undefined && file.recordsOf(account) === 0) {
    throw new CommandError(`the file has no records of ${JSON.stringify(account)}`);
  }
  const owners = (account === undefined ? file.owners : [account]).filter(
    (owner) => !withheld.has(owner),
  );
  await place.reach();
  await place.raise(file.sequences);
  const total = owners.reduce((sum, owner) => sum + file.recordsOf(owner), 0);
  const progress = startProgress(dependencies, { event: 'move', noun: 'records', total });
  const left = new Map(withheld);
  let wereThere = 0;
  try {
    await several(owners, ACCOUNTS_AT_ONCE, async (owner) => {
      try {
        const known = await moveAccount(file, owner, place, progress);
        // Not in one step: others add to it while this one waits.
        wereThere += known;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        left.set(owner, error.message);
      }
    });
  } finally {
    progress.stop();
  }
  const events = await moveEvents(file, account, place);
  const moved = owners.filter((owner) => !left.has(owner));
  const records = moved.reduce((sum, owner) => sum + file.recordsOf(owner), 0);
  const unseen = await unseenBy(place, moved, file, dependencies);
  return { accounts: moved.length, records, wereThere, events, left, unseen };
}

/** Resolves with how many of the records were there before. */
async function moveAccount(
  file: FileAccounts,
  owner: string,
  place: OtherPlace,
  progress: Progress,
): Promise<number> {
  const announced = await announce(file, owner, place.bodyMaxBytes);
  const pieces = () => file.pieces(owner);
  return (
    announced.records - (await place.arrive({ owner, announced, pieces, arrived: progress.add }))
  );
}

/** Rejects with `Refused`, before anything is sent, where a record could not be stored there. */
async function announce(
  file: FileAccounts,
  owner: string,
  bodyMaxBytes: number,
): Promise<AnnouncedAccount> {
  if (/[\p{Cc}\p{Cs}]/u.test(owner)) {
    throw new Refused('no request can have this subject: it has characters that none may have');
  }
  const digest = new ContentsDigest();
  for (const rows of file.pieces(owner)) {
    for (const row of rows) {
      const problem = rowProblem(row, owner, bodyMaxBytes);
      if (problem !== undefined) throw new Refused(`the record ${rowName(row)} ${problem}`);
      await digest.add(row);
    }
  }
  return { ...(await digest.contents()), sequences: file.sequences };
}

/** All events of the file, in their order; those of no account, too, unless one account is moved. */
async function moveEvents(
  file: FileAccounts,
  account: string | undefined,
  place: OtherPlace,
): Promise<number> {
  let moved = 0;
  let waiting: FileEvent[] = [];
  const send = async () => {
    for (const piece of piecesOf(waiting, ({ event }) => event.length)) {
      const known = await place.sendEvents(await Promise.all(piece.map(named)));
      if (known !== piece.length) {
        throw new CommandError(
          `the audit log has taken ${known} of ${piece.length} events; run the move again`,
        );
      }
      moved += piece.length;
    }
    waiting = [];
  };
  for (const event of file.auditEvents()) {
    if (account !== undefined && event.owner !== account) continue;
    waiting.push(event);
    if (waiting.length === EVENTS_WAITING_MAX) await send();
  }
  await send();
  return moved;
}

/** The same event of the same file has the same name each time, whichever backup it comes from. */
async function named({ id, owner, event }: FileEvent): Promise<MovedEvent> {
  const epoch = `file-${(await sha256(event)).slice(0, EPOCH_CHARACTERS)}`;
  return { owner, epoch, number: id, event };
}

/** How many accounts the operator's views do not show as they are; the directory hears of them within seconds. */
async function unseenBy(
  place: OtherPlace,
  owners: readonly string[],
  file: FileAccounts,
  { interrupted }: CommandDependencies,
): Promise<number> {
  for (let look = 1; ; look++) {
    const known = new Map((await place.accounts()).map(({ owner, records }) => [owner, records]));
    const unseen = owners.filter((owner) => known.get(owner) !== file.recordsOf(owner)).length;
    if (unseen === 0 || look === LOOKS_MAX) return unseen;
    await pause(LOOK_EVERY_MS, interrupted);
  }
}
