// The admin Worker moves accounts in and out, in pieces. `npm run move` is its
// client; src/tools/move/README.md describes the move. The query names the account, because
// no path can name the subjects "." and "..".

import { boundedBody } from '../../../core/bounded-body.js';
import { isCollectionName } from '../../../core/domain/collection-name.js';
import { queryOf } from '../../../core/http/path.js';
import type { ArrivingPiece, MovedEvent, MoveReply } from '../../../storage/move/move-messages.js';
import type { AnnouncedAccount, MovedRow } from '../../../storage/move/moved-rows.js';
import { accountStub, directoryStub } from '../environment.js';
import { type AdminCall, type AdminRoute, answered, refused } from './admin-route.js';

/** A call to an object may take 32 MiB. A piece has 1,000,000 characters, or one record of 2 MB. As a text within JSON that record is longer. */
const PIECE_MAX_BYTES = 16_777_216;

export const MOVE_ROUTES: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/accounts',
    action: async (call) =>
      answered(
        await directoryStub(call.env).knownAccounts(queryOf(call.req.raw).get('after') ?? ''),
      ),
  },
  {
    method: 'GET',
    path: '/state',
    action: (call) => withAccount(call, (owner) => accountStub(call.env, owner).movedState(owner)),
  },
  {
    method: 'GET',
    path: '/records',
    action: (call) =>
      withAccount(call, (owner) => {
        const after = Number(queryOf(call.req.raw).get('after') ?? 0);
        return accountStub(call.env, owner).leavingPiece(owner, after);
      }),
  },
  {
    method: 'PUT',
    path: '/records',
    action: (call) =>
      withBody(call, isArrivingPiece, (piece) =>
        withAccount(call, (owner) => accountStub(call.env, owner).takePiece(owner, piece)),
      ),
  },
  {
    method: 'GET',
    path: '/audit-events',
    action: async (call) => {
      const query = queryOf(call.req.raw);
      const place = { timestamp: query.get('timestamp') ?? '', id: Number(query.get('id') ?? 0) };
      return answered(await directoryStub(call.env).eventsAfter(place));
    },
  },
  {
    method: 'PUT',
    path: '/audit-events',
    action: (call) =>
      withBody(call, areMovedEvents, async (events) =>
        answered({ known: await directoryStub(call.env).takeEvents(events) }),
      ),
  },
];

async function withAccount(
  call: AdminCall,
  ask: (owner: string) => Promise<MoveReply<unknown>>,
): Promise<Response> {
  const owner = queryOf(call.req.raw).get('account') ?? '';
  if (owner === '') return refused(400, 'name the account: ?account=SUBJECT');
  const reply = await ask(owner);
  return reply.ok ? answered(reply.value) : refused(reply.status, reply.message);
}

async function withBody<T>(
  call: AdminCall,
  isWanted: (value: unknown) => value is T,
  use: (value: T) => Promise<Response>,
): Promise<Response> {
  const bytes = await boundedBody(call.req.raw.body, PIECE_MAX_BYTES);
  if (bytes === undefined) return refused(413, `a piece has at most ${PIECE_MAX_BYTES} bytes`);
  const value = parsed(bytes);
  if (!isWanted(value)) return refused(400, 'the body is no piece; use the move of this release');
  return use(value);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function isArrivingPiece(value: unknown): value is ArrivingPiece {
  if (!isObject(value)) return false;
  const { announced, from, rows } = value;
  return isAnnounced(announced) && isCount(from) && Array.isArray(rows) && rows.every(isMovedRow);
}

function isAnnounced(value: unknown): value is AnnouncedAccount {
  if (!isObject(value)) return false;
  const { records, bytes, digest, sequences } = value;
  return (
    isCount(records) &&
    isCount(bytes) &&
    typeof digest === 'string' &&
    isObject(sequences) &&
    Object.keys(sequences).every(isCollectionName) &&
    Object.values(sequences).every(isCount)
  );
}

/** Checks the shape alone; the account's object judges the contents. */
function isMovedRow(value: unknown): value is MovedRow {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [collection, id, body, createdAt, updatedAt] = value;
  return [collection, id, body].every(isText) && [createdAt, updatedAt].every(isCount);
}

function areMovedEvents(value: unknown): value is readonly MovedEvent[] {
  return Array.isArray(value) && value.every(isMovedEvent);
}

function isMovedEvent(value: unknown): value is MovedEvent {
  if (!isObject(value)) return false;
  const { owner, epoch, number, event } = value;
  return [owner, epoch, event].every(isText) && isCount(number) && isEventText(String(event));
}

/** The log is ordered by the event's time. */
function isEventText(text: string): boolean {
  try {
    const event: unknown = JSON.parse(text);
    return isObject(event) && isText(event['timestamp']);
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
