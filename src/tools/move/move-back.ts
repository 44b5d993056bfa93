// From another place into a new database file. First every account is fetched into a file
// beside the new one, piece by piece, which goes on after any end; then the new file
// is made of that in one go.

import { dirname, join, parse } from 'node:path';
import { isThere, removeDatabase } from '../../storage/backup/file-copy.js';
import type { EventPlace } from '../../storage/move/move-messages.js';
import { rowName, rowProblem } from '../../storage/move/moved-rows.js';
import { isNamed, NewDatabase } from '../../storage/move/new-database.js';
import { type Finished, StagedMove } from '../../storage/move/staged-move.js';
import { CommandError } from '../data/failures.js';
import { several } from '../data/several.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import { type Progress, startProgress } from '../program/progress.js';
import { writeNewIds } from './new-ids.js';
import type { KnownAccount, OtherPlace } from './other-place.js';

const ACCOUNTS_AT_ONCE = 8;
/** How often accounts that were written to meanwhile are fetched again. */
const ROUNDS_MAX = 3;
/** Endings of the files beside the new one, until it is whole. */
const STAGED = '.moving';
const UNNAMED = '.new';

export interface MoveBackOptions {
  /** Path of the new database file. */
  readonly path: string;
  /** Undefined: all. */
  readonly account: string | undefined;
  /** Path of the list of new ids. Undefined: beside the new file. */
  readonly newIds: string | undefined;
}

export interface MovedBack extends Finished {
  readonly renumbered: number;
  /** Path of the list of new ids, where there is one. */
  readonly newIds: string;
}

/** Rejects where a file of that name is there, where accounts are written to all the time, or where nothing can go on. */
export async function moveBack(
  options: MoveBackOptions,
  place: OtherPlace,
  dependencies: CommandDependencies,
): Promise<MovedBack> {
  const { path, account } = options;
  const newIds = options.newIds ?? join(dirname(path), `${parse(path).name}-renumbered.csv`);
  const goesOn = await isThere(path + STAGED);
  if (!goesOn) for (const place of [path, newIds]) await expectFree(place);
  else if (!(await isNamed(path + UNNAMED, path))) await expectFree(path);
  if (!(await isThere(path))) await place.reach();
  const source = account === undefined ? place.name : `${place.name}, account ${account}`;
  const staged = await StagedMove.open(path + STAGED, source);
  let moved: MovedBack;
  try {
    const finished = (await isThere(path)) ? staged.finished() : undefined;
    if (finished === undefined) await expectFree(path);
    const contents = finished ?? (await made(options, staged, place, dependencies));
    moved = { ...contents, newIds, renumbered: await writeNewIds(newIds, staged.renumbered()) };
  } finally {
    staged.close();
  }
  await removeDatabase(path + UNNAMED);
  await removeDatabase(path + STAGED);
  return moved;
}

async function expectFree(path: string): Promise<void> {
  if (await isThere(path)) throw new CommandError(`${path} is there already; name a new file`);
}

/** Fetches what is not here yet, makes the new file and gives it its name. */
async function made(
  { path, account }: MoveBackOptions,
  staged: StagedMove,
  place: OtherPlace,
  dependencies: CommandDependencies,
): Promise<Finished> {
  await fetchAccounts(account, staged, place, dependencies);
  const sequences = staged.renumber();
  const database = await NewDatabase.begin(path + UNNAMED);
  try {
    const accounts = staged.accounts();
    for (const one of accounts) {
      for (const piece of staged.pieces(one)) database.put(piece);
    }
    const events = await appendEvents(database, account, place);
    database.raise(sequences);
    const contents = await database.check();
    const records = accounts.reduce((sum, { announced }) => sum + announced.records, 0);
    if (contents.recordCount !== records || contents.auditEventCount !== events) {
      throw new CommandError(
        `the new file has ${contents.recordCount} records and ${contents.auditEventCount} audit events; it should have ${records} and ${events}; run the move again`,
      );
    }
    const finished = { accounts: accounts.length, records, events };
    staged.finish(finished);
    await database.name(path);
    return finished;
  } finally {
    database.close();
  }
}

/** Resolves when every account that the directory knows is here as it is there. */
async function fetchAccounts(
  account: string | undefined,
  staged: StagedMove,
  place: OtherPlace,
  dependencies: CommandDependencies,
): Promise<void> {
  for (let round = 1; ; round++) {
    const known = (await place.accounts()).filter(
      ({ owner }) => account === undefined || owner === account,
    );
    if (known.length === 0 && account !== undefined) {
      throw new CommandError(`no account ${JSON.stringify(account)} is known there`);
    }
    const here = new Map(staged.accounts().map((one) => [one.owner, one]));
    const isHere = ({ owner, revision }: KnownAccount) => {
      const one = here.get(owner);
      return one?.isWhole === true && one.revision === revision;
    };
    const missing = known.filter((one) => !isHere(one));
    for (const one of here.values()) {
      if (!known.some(({ owner }) => owner === one.owner)) staged.forget(one);
    }
    if (missing.length === 0) return;
    if (round > ROUNDS_MAX) {
      throw new CommandError(
        `${missing.length} accounts are written to while they are fetched, such as ${JSON.stringify(missing[0]?.owner)}; close the service to its users first, then run the same command again`,
      );
    }
    const count = (some: readonly KnownAccount[]) =>
      some.reduce((sum, one) => sum + one.records, 0);
    const total = count(known);
    const done = total - count(missing);
    const progress = startProgress(dependencies, { event: 'move', noun: 'records', total, done });
    await several(missing, ACCOUNTS_AT_ONCE, ({ owner }) =>
      fetchAccount(owner, staged, place, progress),
    ).finally(progress.stop);
  }
}

/** Leaves the account as it is, for the next round, where it was written to meanwhile. */
async function fetchAccount(
  owner: string,
  staged: StagedMove,
  place: OtherPlace,
  progress: Progress,
): Promise<void> {
  const { state, revision, records, bytes, digest, sequences } = await place.state(owner);
  let account = staged.find(owner);
  if (state !== 'whole') {
    if (account !== undefined) staged.forget(account);
    return;
  }
  if (account?.revision !== revision) {
    account = staged.begin(owner, revision, { records, bytes, digest, sequences });
  }
  while (!account.isWhole) {
    const piece = await place.piece(owner, account.position);
    if (piece.revision !== revision) return;
    for (const row of piece.rows) {
      const problem = rowProblem(row, owner, Number.POSITIVE_INFINITY);
      if (problem === undefined) continue;
      throw new CommandError(`the record ${rowName(row)} of ${JSON.stringify(owner)} ${problem}`);
    }
    if (piece.rows.length > 0) account = staged.put(account, piece.rows, piece.last);
    progress.add(piece.rows.length);
    if (piece.isLast) break;
  }
  if (account.isWhole) return;
  const contents = await staged.contents(account);
  if (contents.records !== records || contents.digest !== digest) {
    staged.forget(account);
    throw new CommandError(
      `the records of ${JSON.stringify(owner)} are not those that were announced: the digests differ; run the move again`,
    );
  }
  staged.markWhole(account);
}

/** The audit log in the order of its times; of one account, only its own events. Resolves with how many. */
async function appendEvents(
  database: NewDatabase,
  account: string | undefined,
  source: OtherPlace,
): Promise<number> {
  let place: EventPlace = { timestamp: '', id: 0 };
  let count = 0;
  for (;;) {
    const { events, last, isLast } = await source.events(place);
    const wanted = events.filter(
      (event) => account === undefined || JSON.parse(event).owner_sub === account,
    );
    database.append(wanted);
    count += wanted.length;
    if (isLast) return count;
    place = last;
  }
}
