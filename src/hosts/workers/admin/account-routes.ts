// The admin Worker erases an entire account, or sets it back: to an earlier minute, or to the
// bookmark of an earlier answer, which undoes a restore.

import type { Restore, RestorePoint, RestoreState } from '../account-call.js';
import { accountStub, type WorkerEnvironment } from '../environment.js';
import { type AdminRoute, answered, ownerIn, refused } from './admin-route.js';

/** The waits add up to 10 s. The object ends after a quarter of a second. */
const TRIES = 40;
const BETWEEN_TRIES_MS = 250;

const WANTED = 'send { "to": "2026-01-31T09:30:00Z" }, or { "bookmark": … } of an earlier answer';
/** RFC 3339 with a zone: without one, the time would be ambiguous. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

export const ACCOUNT_ROUTES: readonly AdminRoute[] = [
  {
    method: 'DELETE',
    path: '/accounts/:owner_sub',
    async action(call) {
      const owner = ownerIn(call);
      return answered(await accountStub(call.env, owner).erase(owner));
    },
  },
  {
    method: 'POST',
    path: '/accounts/:owner_sub/restore',
    async action(call) {
      const asked: unknown = await call.req.raw.json().catch(() => undefined);
      return restored(call.env, ownerIn(call), asked, Date.now());
    },
  },
];

/** `now`: milliseconds since 1970, UTC. Rejects if the account gives no answer; then nothing was changed. */
async function restored(
  env: WorkerEnvironment,
  owner: string,
  asked: unknown,
  now: number,
): Promise<Response> {
  const point = pointIn(asked, now);
  if (typeof point === 'string') return refused(422, point);
  const restore: Restore = { id: crypto.randomUUID(), owner, point, at: now };
  const reply = await accountStub(env, owner).restore(restore);
  if (reply.kind === 'refused') {
    return reply.isSupported
      ? refused(422, `the platform refused this point: ${reply.reason}`)
      : refused(501, `this runtime keeps no history of an account: ${reply.reason}`);
  }
  const state = await followed(env, restore);
  const { bookmark, undoBookmark } = reply;
  // The answer must contain the bookmark that undoes the restore, even if a later step failed.
  return answered({ owner_sub: owner, state, bookmark, undo_bookmark: undoBookmark });
}

/** The point, or a sentence that says why the body is invalid. */
function pointIn(asked: unknown, now: number): RestorePoint | string {
  if (typeof asked !== 'object' || asked === null) return WANTED;
  // A body with two points is refused.
  if (Object.keys(asked).length !== 1) return WANTED;
  const { to, bookmark } = asked as { to?: unknown; bookmark?: unknown };
  if (typeof bookmark === 'string' && bookmark !== '') return { bookmark };
  if (typeof to !== 'string') return WANTED;
  const time = TIME.test(to) ? Date.parse(to) : Number.NaN;
  if (Number.isNaN(time)) return `"to" is ${JSON.stringify(to)}, which is not a time: ${WANTED}`;
  if (time > now) return `"to" is ${JSON.stringify(to)}, which is yet to come: ${WANTED}`;
  return { time };
}

async function followed(env: WorkerEnvironment, restore: Restore): Promise<RestoreState> {
  let state: RestoreState = 'restarting';
  for (let tried = 0; tried < TRIES && state !== 'followed' && state !== 'none'; tried++) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
    try {
      state = await accountStub(env, restore.owner).followRestore(restore);
    } catch {
      // The object ended during the call. The next call finds the new object.
    }
  }
  return state;
}
