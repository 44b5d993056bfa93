// The maintenance Worker and the copies: it lists them, and puts an account from one of
// them into an object that is empty.

import { CHANGED_NAME_MAX_CHARACTERS, type RestoreEvent } from '../../domain/audit-event.js';
import type { MovedState } from '../../storage/move/move-messages.js';
import { accountStub, directoryStub } from '../environment.js';
import {
  answered,
  type MaintenanceEnvironment,
  type MaintenanceRoute,
  refused,
} from '../maintenance-route.js';
import { copiedEvents, copiedRows } from './copied-rows.js';
import type { IndexedAccount, Manifest } from './copy-format.js';
import { CopyShelf } from './copy-shelf.js';

const UNBOUND = 'this script has no bucket of copies: bind COPIES in wrangler.maintenance.toml';

export const COPY_ROUTES: readonly MaintenanceRoute[] = [
  {
    method: 'GET',
    path: '/copies',
    action: ({ env }) =>
      withShelf(env, async (shelf) => answered((await shelf.whole()).map(withoutFiles))),
  },
  {
    method: 'GET',
    path: '/copies/{copy}',
    action: ({ env, segment }) =>
      withCopy(env, segment('copy'), async (_, manifest) => answered(manifest)),
  },
  {
    method: 'GET',
    path: '/copies/{copy}/accounts/{owner_sub}',
    action: ({ env, segment }) =>
      withAccount(env, segment('copy'), segment('owner_sub'), async (_, __, found) =>
        answered(found),
      ),
  },
];

/** `now`: milliseconds since 1970, UTC. The request may be sent again: it continues where it ended. */
export function restoreFromCopy(
  env: MaintenanceEnvironment,
  owner: string,
  copy: string,
  now: number,
): Promise<Response> {
  return withAccount(env, copy, owner, async (shelf, manifest, found) => {
    const { changed_meanwhile, stretches, account, ...announced } = found;
    const stub = () => accountStub(env, owner);
    // A piece without rows: the answer says which rows are there already.
    let reply = await stub().takePiece(owner, { announced, from: 0, rows: [] });
    // If the request is sent again after all records had arrived, the log gets at most one more event.
    const number = reply.ok && reply.value.state === 'whole' ? 0 : now;
    let from = 0;
    for await (const rows of copiedRows(shelf, copy, found)) {
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
    const events = await takeEvents(env, shelf, manifest, { owner, number, now });
    return answered(answerOf(owner, copy, reply.value, events));
  });
}

/** Adds the account's own events and the event of this restore. Resolves with the number of events that the log has of these. */
async function takeEvents(
  env: MaintenanceEnvironment,
  shelf: CopyShelf,
  manifest: Manifest,
  { owner, number, now }: { owner: string; number: number; now: number },
): Promise<number> {
  let known = 0;
  for await (const events of copiedEvents(shelf, manifest, owner)) {
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

async function withShelf(
  { COPIES }: MaintenanceEnvironment,
  use: (shelf: CopyShelf) => Promise<Response>,
): Promise<Response> {
  return COPIES === undefined ? refused(501, UNBOUND) : use(new CopyShelf(COPIES));
}

function withCopy(
  env: MaintenanceEnvironment,
  copy: string,
  use: (shelf: CopyShelf, manifest: Manifest) => Promise<Response>,
): Promise<Response> {
  return withShelf(env, async (shelf) => {
    const manifest = await shelf.manifest(copy);
    return manifest === undefined
      ? refused(404, `there is no whole copy ${JSON.stringify(copy)}; GET /copies lists them`)
      : use(shelf, manifest);
  });
}

function withAccount(
  env: MaintenanceEnvironment,
  copy: string,
  owner: string,
  use: (shelf: CopyShelf, manifest: Manifest, found: IndexedAccount) => Promise<Response>,
): Promise<Response> {
  return withCopy(env, copy, async (shelf, manifest) => {
    const found = await shelf.find(manifest, owner);
    return found === undefined
      ? refused(404, `the copy ${copy} has no account ${JSON.stringify(owner)}`)
      : use(shelf, manifest, found);
  });
}

function withoutFiles({ files: _, ...facts }: Manifest) {
  return facts;
}
