// What a careful developer would write today: Fastify and better-sqlite3, WAL,
// `synchronous=FULL`, prepared statements, an index for each look-up, one
// statement for a write. Same table, same answers, tokens looked up in a Map.

import { randomBytes } from 'node:crypto';
import { peerPackage } from '../peer-packages.js';
import { announce } from './answer-file.js';

const [source = '', file = '', owners = '[]'] = process.argv.slice(2);

const Database = peerPackage('better-sqlite3');
const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`
  create table records (
    position integer primary key,
    owner text not null,
    collection text not null,
    id text not null,
    body text not null,
    created_at integer not null,
    updated_at integer not null
  ) strict;
  attach '${source.replaceAll("'", "''")}' as source;
  insert into records select position, body ->> 'owner_sub', collection, id, body, created_at, updated_at
    from source.records;
  detach source;
  create unique index records_by_id on records (collection, id);
  create index records_by_owner on records (owner, collection, position);
`);

const insert = db.prepare('insert into records values (?, ?, ?, ?, ?, ?, ?)');
const update = db.prepare('update records set body = ?, updated_at = ? where position = ?');
const find = db.prepare(
  'select position, body from records where collection = ? and id = ? and owner = ?',
);
const count = db.prepare('select count(*) from records where owner = ? and collection = ?').pluck();
const page = db
  .prepare(
    'select body from records where owner = ? and collection = ? order by position desc limit ? offset ?',
  )
  .pluck();
const matching = 'owner = ? and collection = ? and instr(lower(body), ?) > 0';
const countMatching = db.prepare(`select count(*) from records where ${matching}`).pluck();
const pageMatching = db
  .prepare(`select body from records where ${matching} order by position desc limit ? offset ?`)
  .pluck();

let position = db.prepare('select coalesce(max(position), 0) from records').pluck().get();
const subjects = new Map(JSON.parse(owners).map((/** @type {string} */ owner) => [owner, owner]));

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'access-control-expose-headers': 'X-Request-ID',
  'access-control-allow-origin': '*',
};

/**
 * @typedef {object} PeerRequest
 * @property {Record<string, string | undefined>} headers
 * @property {Record<string, string>} params
 * @property {Record<string, string | undefined>} query
 * @property {Record<string, unknown>} body
 * @property {string} id
 * @property {string} owner
 */

/**
 * @typedef {object} PeerReply
 * @property {(status: number) => PeerReply} code
 * @property {(headers: Record<string, string>) => PeerReply} headers
 * @property {(type: string) => PeerReply} type
 * @property {(text: string) => PeerReply} send
 */

const app = peerPackage('fastify')({
  genReqId: (/** @type {PeerRequest} */ { headers }) =>
    headers['x-request-id'] || `req_${randomBytes(8).toString('hex')}`,
});
app.decorateRequest('owner', '');
app.addHook(
  'onRequest',
  (
    /** @type {PeerRequest} */ request,
    /** @type {PeerReply} */ reply,
    /** @type {() => void} */ done,
  ) => {
    const owner = subjects.get(request.headers['authorization']?.replace(/^Bearer /, ''));
    if (owner === undefined) {
      answer(request, reply.code(401), '"error":{"code":"UNAUTHORIZED","message":"no such token"}');
      return;
    }
    request.owner = String(owner);
    done();
  },
);

function answer(
  /** @type {PeerRequest} */ request,
  /** @type {PeerReply} */ reply,
  /** @type {string} */ content,
  /** @type {object | undefined} */ pagination = undefined,
) {
  const meta = {
    request_id: request.id,
    timestamp: new Date().toISOString(),
    ...(pagination && { pagination }),
  };
  return reply
    .headers({ ...COMMON_HEADERS, 'x-request-id': request.id })
    .type('application/json; charset=utf-8')
    .send(`{${content},"meta":${JSON.stringify(meta)}}`);
}

function notFound(/** @type {PeerRequest} */ request, /** @type {PeerReply} */ reply) {
  return answer(
    request,
    reply.code(404),
    '"error":{"code":"NOT_FOUND","message":"no such record"}',
  );
}

app.get(
  '/api/v1/:collection/:id',
  (/** @type {PeerRequest} */ request, /** @type {PeerReply} */ reply) => {
    const row = find.get(request.params['collection'], request.params['id'], request.owner);
    if (row === undefined) return notFound(request, reply);
    return answer(request, reply, `"data":${row.body}`);
  },
);

app.get(
  '/api/v1/:collection',
  (/** @type {PeerRequest} */ request, /** @type {PeerReply} */ reply) => {
    const { q = '', page: number = '1', page_size = '20' } = request.query;
    const size = Math.min(Number(page_size), 100);
    const offset = (Number(number) - 1) * size;
    const where = [request.owner, request.params['collection']];
    if (q !== '') where.push(q.toLowerCase());
    const total = (q === '' ? count : countMatching).get(...where);
    const bodies = (q === '' ? page : pageMatching).all(...where, size, offset);
    return answer(request, reply, `"data":[${bodies.join(',')}]`, {
      page: Number(number),
      page_size: size,
      total,
      total_pages: Math.ceil(total / size),
    });
  },
);

const recordSchema = {
  type: 'object',
  required: ['name', 'phone'],
  properties: { name: { type: 'string', minLength: 1 }, phone: { type: 'string', minLength: 1 } },
};

app.post(
  '/api/v1/customers',
  { schema: { body: recordSchema } },
  (/** @type {PeerRequest} */ request, /** @type {PeerReply} */ reply) => {
    position++;
    const id = `CUS-${String(position).padStart(4, '0')}`;
    const { owner } = request;
    const fixed = { id, owner_sub: owner };
    const body = JSON.stringify({ ...fixed, ...request.body, ...fixed });
    const now = Date.now();
    insert.run(position, owner, 'customers', id, body, now, now);
    return answer(request, reply.code(201), `"data":${body}`);
  },
);

app.patch(
  '/api/v1/customers/:id',
  (/** @type {PeerRequest} */ request, /** @type {PeerReply} */ reply) => {
    const row = find.get('customers', request.params['id'], request.owner);
    if (row === undefined) return notFound(request, reply);
    const { id: _id, owner_sub: _owner, ...changes } = request.body;
    const body = JSON.stringify({ ...JSON.parse(row.body), ...changes });
    update.run(body, Date.now(), row.position);
    return answer(request, reply, `"data":${body}`);
  },
);

await app.listen({ host: '127.0.0.1', port: 0 });
announce(app.server.address().port);
