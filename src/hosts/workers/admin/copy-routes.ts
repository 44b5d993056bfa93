// The admin Worker and the copies: it lists them, begins one, and puts an account from one
// of them into an object that is empty.

import {
  CHANGED_NAME_MAX_CHARACTERS,
  type RestoreEvent,
} from '../../../core/domain/audit-event.js';
import type { MovedState } from '../../../storage/move/move-messages.js';
import { copiedEvents, copiedRows } from '../copies/copied-rows.js';
import type { IndexedAccount, Manifest, Round } from '../copies/copy-format.js';
import { newRound } from '../copies/copy-round.js';
import { RoundState } from '../copies/round-state.js';
import { StoredCopies } from '../copies/stored-copies.js';
import { accountStub, directoryStub } from '../environment.js';
import {
  type AdminEnvironment,
  type AdminRoute,
  answered,
  refused,
  segmentOf,
} from './admin-route.js';

type Bucket = NonNullable<AdminEnvironment['COPIES']>;

const UNBOUND =
  'this script has no bucket of copies: bind COPIES in src/hosts/workers/admin/wrangler.toml';

export const COPY_ROUTES: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/copies',
    always: true,
    action: ({ env }) => withBucket(env, listed),
  },
  {
    method: 'POST',
    path: '/copies',
    always: true,
    action: ({ env }) => withBucket(env, begun),
  },
  {
    method: 'GET',
    path: '/copies/:copy',
    action: (call) =>
      withCopy(call.env, segmentOf(call, 'copy'), async (_, manifest) => answered(manifest)),
  },
  {
    method: 'GET',
    path: '/copies/:copy/accounts/:owner_sub',
    action: (call) => {
      const [copy, owner] = [segmentOf(call, 'copy'), segmentOf(call, 'owner_sub')];
      return withAccount(call.env, copy, owner, async (_, __, found) => answered(found));
    },
  },
];

/** Whole copies, and the round under way or the last one. */
async function listed(bucket: Bucket): Promise<Response> {
  const manifests = await new StoredCopies(bucket).whole();
  const whole = manifests.map(({ files: _, ...facts }) => facts);
  const { round } = await RoundState.read(bucket);
  return answered({ whole, round: round === undefined ? null : factsOf(round) });
}

/** Makes the next trigger begin a round, whatever the schedule says. */
async function begun(bucket: Bucket): Promise<Response> {
  const state = await RoundState.read(bucket);
  if (state.round !== undefined && state.round.stage !== 'ended') {
    return refused(409, `the round of the copy ${state.round.copy} is under way`);
  }
  const round = newRound(Date.now());
  await state.store(round);
  return answered(factsOf(round));
}

function factsOf({ copy, begun, stage, failed, counts }: Round) {
  return { copy, begun, stage, failed, ...counts };
}

/** `now`: milliseconds since 1970, UTC. The request may be sent again: it continues where it ended. */
export function restoreFromCopy(
  env: AdminEnvironment,
  owner: string,
  copy: string,
  now: number,
): Promise<Response> {
  return withAccount(env, copy, owner, async (storedCopies, manifest, found) => {
    const { changed_meanwhile, stretches, account, ...announced } = found;
    const stub = () => accountStub(env, owner);
    // A piece without rows: the answer says which rows are there already.
    let reply = await stub().takePiece(owner, { announced, from: 0, rows: [] });
    // If the request is sent again after all records had arrived, the log gets at most one more event.
    const number = reply.ok && reply.value.state === 'whole' ? 0 : now;
    let from = 0;
    for await (const rows of copiedRows(storedCopies, copy, found)) {
      if (!reply.ok || reply.value.state === 'whole') break;
      if (from + rows.length > reply.value.records) {
        reply = await stub().takePiece(owner, { announced, from, rows });
      }
      from += rows.length;
    }
    if (!reply.ok) return refused(reply.status, reply.message);
    if (reply.value.state !== 'whole') {
      return refused(409, 'the copy ends before the account does; take another copy');
    }
    const events = await takeEvents(env, storedCopies, manifest, { owner, number, now });
    return answered(answerOf(owner, copy, reply.value, events));
  });
}

/** Adds the account's own events and the event of this restore. Resolves with the number of events that the log has of these. */
async function takeEvents(
  env: AdminEnvironment,
  storedCopies: StoredCopies,
  manifest: Manifest,
  { owner, number, now }: { owner: string; number: number; now: number },
): Promise<number> {
  let known = 0;
  for await (const events of copiedEvents(storedCopies, manifest, owner)) {
    known += await directoryStub(env).takeEvents(events);
  }
  const event: RestoreEvent = {
    actor: 'restore',
    action: 'restore',
    resource: 'database',
    record_id: manifest.copy.slice(0, CHANGED_NAME_MAX_CHARACTERS),
    owner_sub: owner,
    timestamp: new Date(now).toISOString(),
    changed: [],
  };
  const epoch = `restore from ${manifest.copy}`;
  const named = { owner, epoch, number, event: JSON.stringify(event) };
  return known + (await directoryStub(env).takeEvents([named]));
}

function answerOf(owner: string, copy: string, state: MovedState, audit_events: number) {
  const { records, bytes, digest, sequences } = state;
  return {
    owner_sub: owner,
    copy,
    state: 'whole',
    records,
    bytes,
    digest,
    sequences,
    audit_events,
  };
}

async function withBucket(
  { COPIES }: AdminEnvironment,
  use: (bucket: Bucket) => Promise<Response>,
): Promise<Response> {
  return COPIES === undefined ? refused(501, UNBOUND) : use(COPIES);
}

function withCopy(
  env: AdminEnvironment,
  copy: string,
  use: (storedCopies: StoredCopies, manifest: Manifest) => Promise<Response>,
): Promise<Response> {
  return withBucket(env, async (bucket) => {
    const storedCopies = new StoredCopies(bucket);
    const manifest = await storedCopies.manifest(copy);
    return manifest === undefined
      ? refused(404, `there is no whole copy ${JSON.stringify(copy)}; GET /copies lists them`)
      : use(storedCopies, manifest);
  });
}

function withAccount(
  env: AdminEnvironment,
  copy: string,
  owner: string,
  use: (storedCopies: StoredCopies, manifest: Manifest, found: IndexedAccount) => Promise<Response>,
): Promise<Response> {
  return withCopy(env, copy, async (storedCopies, manifest) => {
    const found = await storedCopies.find(manifest, owner);
    return found === undefined
      ? refused(404, `the copy ${copy} has no account ${JSON.stringify(owner)}`)
      : use(storedCopies, manifest, found);
  });
}
