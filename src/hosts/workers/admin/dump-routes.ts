// The admin Worker dumps and loads accounts, in pieces. `manage dump` and `manage load` are its
// clients. The query names the account, because no path can name the subjects "." and "..".

import { z } from 'zod';
import { boundedBody } from '../../../core/bounded-body.js';
import { COLLECTION_NAMES } from '../../../core/domain/collection-name.js';
import { queryOf } from '../../../core/http/path.js';
import { objectIn } from '../../../core/json-line.js';
import type { Reply } from '../../../storage/dump/worker-messages.js';
import { accountStub, directoryStub } from '../environment.js';
import { type AdminCall, type AdminRoute, answered, refused } from './admin-route.js';

/** A call to an object may have 32 MiB. A piece has 1,000,000 characters, or one record of 2 MB, which JSON escapes make longer. */
const PIECE_MAX_BYTES = 16_777_216;

export const DUMP_ROUTES: readonly AdminRoute[] = [
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
      withBody(call, PIECE, (piece) =>
        withAccount(call, (owner) => accountStub(call.env, owner).takePiece(owner, piece)),
      ),
  },
  {
    method: 'GET',
    path: '/audit-events',
    action: async (call) => {
      const query = queryOf(call.req.raw);
      const cursor = { timestamp: query.get('timestamp') ?? '', id: Number(query.get('id') ?? 0) };
      return answered(await directoryStub(call.env).eventsAfter(cursor));
    },
  },
  {
    method: 'PUT',
    path: '/audit-events',
    action: (call) =>
      withBody(call, EVENTS, async (events) =>
        answered({ known: await directoryStub(call.env).takeEvents(events) }),
      ),
  },
];

const COUNT = z.int().nonnegative();
/** Only the shape; the account's object validates the contents. */
const ROW = z.tuple([z.enum(COLLECTION_NAMES), z.string(), z.string(), COUNT, COUNT]);
const PIECE = z.object({
  load: z.string(),
  from: COUNT,
  rows: z.array(ROW),
  whole: z.exactOptional(
    z.object({
      records: COUNT,
      digest: z.string(),
      sequences: z.partialRecord(z.enum(COLLECTION_NAMES), COUNT),
    }),
  ),
});
const EVENTS = z.array(
  z.object({
    owner: z.string(),
    epoch: z.string(),
    number: COUNT,
    // The log is ordered by the event's time.
    event: z.string().refine((text) => {
      const event = objectIn(text);
      return event !== undefined && 'timestamp' in event && typeof event.timestamp === 'string';
    }),
  }),
);

async function withAccount(
  call: AdminCall,
  ask: (owner: string) => Promise<Reply<unknown>>,
): Promise<Response> {
  const owner = queryOf(call.req.raw).get('account') ?? '';
  if (owner === '') return refused(400, 'name the account: ?account=SUBJECT');
  const reply = await ask(owner);
  return reply.ok ? answered(reply.value) : refused(reply.status, reply.message);
}

async function withBody<T>(
  call: AdminCall,
  wanted: z.ZodType<T>,
  use: (value: T) => Promise<Response>,
): Promise<Response> {
  const bytes = await boundedBody(call.req.raw.body, PIECE_MAX_BYTES);
  if (bytes === undefined) return refused(413, `a piece has at most ${PIECE_MAX_BYTES} bytes`);
  const { success, data } = wanted.safeParse(parsed(bytes));
  if (!success) return refused(400, 'unknown body; use the command of this release');
  return use(data);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
