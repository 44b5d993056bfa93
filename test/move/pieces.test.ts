// What the admin Worker does with the pieces of an account, in whatever order and
// however often they come, and what the service answers meanwhile.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import type { MovedRow } from '../../src/storage/move/moved-rows.js';
import { customersOf, pieceOf } from '../support/arriving-account.js';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { tokenOf } from '../support/identity-stub.js';
import { askMaintenance, type MoveWorkers, startMoveWorkers } from '../support/move-command.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { plain } from '../support/worker-host.js';

const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };
const ACCOUNT_MAX_BYTES = 400_000;

let folder: TemporaryFolder;
let workers: MoveWorkers;

beforeAll(async () => {
  folder = await openTemporaryFolder();
  workers = await startMoveWorkers(folder.path, { ACCOUNT_MAX_BYTES: String(ACCOUNT_MAX_BYTES) });
});
afterAll(async () => {
  await workers.stop();
  await folder.remove();
});

async function send(owner: string, piece: unknown) {
  const path = `/records?account=${encodeURIComponent(owner)}`;
  const { status, json } = await askMaintenance(workers.maintenance, 'PUT', path, piece);
  const { state, records, taken } = json.data ?? ({} as Record<string, unknown>);
  return json.error ? { status, message: json.error.message } : { status, state, records, taken };
}

async function ask(path: string, headers: Record<string, string>, init: RequestInit = {}) {
  const response = await fetch(`${workers.service}/api/v1${path}`, plain({ ...init, headers }));
  return { status: response.status, json: JSON.parse(await response.text()) };
}

const as = (owner: string) => ({ Authorization: `Bearer ${tokenOf(owner)}` });
const body = JSON.stringify(VALID_BODY.customers);
const idsOf = async (owner: string) =>
  (await ask('/customers?page_size=100', as(owner))).json.data?.map(({ id }: { id: string }) => id);

describe('An account that is moved in', () => {
  it('takes each row once, however often and early its piece comes', async () => {
    const rows = customersOf('mara-mbili', 60);
    const [first, second] = [await pieceOf(rows, 0, 40), await pieceOf(rows, 40, 20)];
    const arriving = { status: 200, state: 'arriving', records: 40 };
    expect(await send('mara-mbili', second)).toMatchObject({ state: 'arriving', records: 0 });
    expect(await send('mara-mbili', first)).toEqual({ ...arriving, taken: 40 });
    expect(await send('mara-mbili', first)).toEqual({ ...arriving, taken: 0 });
    expect(await send('mara-mbili', await pieceOf(rows, 30, 15))).toMatchObject({ taken: 5 });
    const both = await Promise.all([send('mara-mbili', second), send('mara-mbili', second)]);
    expect(both.map(({ state, taken }) => [state, taken])).toEqual([
      ['whole', 15],
      ['whole', 0],
    ]);
    const ids = rows.map(([, id]) => id);
    expect(await idsOf('mara-mbili')).toEqual(ids.reverse());
    const created = await ask('/customers', as('mara-mbili'), { method: 'POST', body });
    expect(created.json.data.id).toBe('CUS-0501');
  });

  it('answers nobody before it is whole', async () => {
    const rows = customersOf('njiani', 10);
    await send('njiani', await pieceOf(rows, 0, 9));
    const answers = await Promise.all([
      ask('/customers', as('njiani')),
      ask('/payments', as('njiani')),
      ask('/customers/CUS-0001', as('njiani')),
      ask('/customers', as('njiani'), { method: 'POST', body }),
      ask('/customers/CUS-0001', as('njiani'), { method: 'DELETE' }),
      ask('/admin/accounts/njiani', OPERATOR),
      ask('/admin/accounts/njiani/customers', OPERATOR, { method: 'POST', body }),
    ]);
    for (const { status, json } of answers) {
      expect([status, json.error?.code]).toEqual([503, 'STORAGE_UNAVAILABLE']);
    }
    const { json } = await ask('/admin/accounts?q=njiani', OPERATOR);
    expect(json.data).toEqual([]);
    expect(await send('njiani', await pieceOf(rows, 9))).toMatchObject({ state: 'whole' });
    expect(await idsOf('njiani')).toHaveLength(10);
    expect((await ask('/admin/accounts?q=njiani', OPERATOR)).json.data).toHaveLength(1);
  });

  it('is refused where it is not what was announced, and can be moved again after it was erased', async () => {
    const rows = customersOf('tofauti', 3);
    const other = customersOf('tofauti', 3, 1);
    const { announced } = await pieceOf(rows);
    const wrong = await send('tofauti', { announced, from: 0, rows: other });
    expect(wrong).toMatchObject({ status: 409, message: expect.stringContaining('digests') });
    expect((await ask('/customers', as('tofauti'))).status).toBe(503);
    expect(await send('tofauti', await pieceOf(other))).toMatchObject({
      status: 409,
      message: expect.stringContaining('another move into the account has begun'),
    });
    await askMaintenance(workers.maintenance, 'DELETE', '/accounts/tofauti');
    expect(await idsOf('tofauti')).toEqual([]);
    expect(await send('tofauti', await pieceOf(rows))).toMatchObject({ state: 'whole' });
  });

  it('never takes the place of records that are there', async () => {
    await ask('/customers', as('yupo'), { method: 'POST', body });
    const refused = await send('yupo', await pieceOf(customersOf('yupo', 3)));
    expect(refused).toMatchObject({
      status: 409,
      message: expect.stringContaining('the account has other records (1,'),
    });
    expect(await idsOf('yupo')).toHaveLength(1);
  });

  it('never takes the place of a moved account that was written to since', async () => {
    const rows = customersOf('ameandika', 3);
    await send('ameandika', await pieceOf(rows));
    await ask('/customers/CUS-0002', as('ameandika'), {
      method: 'PATCH',
      body: '{"phone":"2"}',
    });
    expect(await send('ameandika', await pieceOf(rows))).toMatchObject({ status: 409 });
    const { json } = await ask('/customers/CUS-0002', as('ameandika'));
    expect(json.data.phone).toBe('2');
  });

  it('takes the place of sample rows that nobody has touched, and of no others', async () => {
    const looked = await ask('/admin/accounts/local-preview', OPERATOR);
    expect(looked.json.data.record_count).toBe(SAMPLE_COUNT);
    const rows = customersOf('local-preview', 2);
    expect(await send('local-preview', await pieceOf(rows))).toMatchObject({ state: 'whole' });
    expect(await idsOf('local-preview')).toEqual(['CUS-0002', 'CUS-0001']);
    const another = await pieceOf(customersOf('local-preview', 4));
    expect(await send('local-preview', another)).toMatchObject({ status: 409 });
    // The directory learns of other tests' writes meanwhile: the two answers may be of two moments.
    await eventually(async () => {
      const { json } = await ask('/admin/overview', OPERATOR);
      const accounts = (await ask('/admin/accounts', OPERATOR)).json.data;
      const counts = accounts.map(({ record_count }: { record_count: number }) => record_count);
      expect(json.data.record_count).toBe(counts.reduce((a: number, b: number) => a + b, 0));
    });
  });

  it('does not take the place of sample rows that were changed and changed back', async () => {
    await askMaintenance(workers.maintenance, 'DELETE', '/accounts/local-preview');
    const patch = (phone: unknown) =>
      ask('/customers/CUS-0001', as('local-preview'), {
        method: 'PATCH',
        body: JSON.stringify({ phone }),
      });
    const seeded = (await ask('/customers/CUS-0001', as('local-preview'))).json.data;
    await patch('1');
    expect((await patch(seeded.phone)).json.data).toEqual(seeded);
    const piece = await pieceOf(customersOf('local-preview', 2));
    expect(await send('local-preview', piece)).toEqual({
      status: 409,
      message: expect.stringContaining(`the account has other records (${SAMPLE_COUNT},`),
    });
  });

  it('is bounded in bytes like every account, before anything of it is stored', async () => {
    const rows = customersOf('kubwa', 50, 9_000);
    const { status, message } = await send('kubwa', await pieceOf(rows, 0, 1));
    expect([status, message]).toEqual([422, expect.stringContaining(String(ACCOUNT_MAX_BYTES))]);
    expect((await ask('/customers', as('kubwa'), { method: 'POST', body })).status).toBe(201);
  });

  const [sample] = customersOf('a', 1);
  const changed = (...change: unknown[]) => Object.assign([...(sample ?? [])], change) as never;
  const text = (record: unknown) => JSON.stringify(record);
  it.each<[string, MovedRow, string]>([
    ['of no collection', changed('wateja'), 'is of no collection'],
    [
      'of another account',
      changed('customers', 'CUS-0001', text({ id: 'CUS-0001', owner_sub: 'b' })),
      'belongs to another account',
    ],
    [
      'of no account',
      changed('customers', 'CUS-0001', text({ id: 'CUS-0001' })),
      'belongs to another account',
    ],
    [
      'with another id',
      changed('customers', 'CUS-0001', text({ id: 'CUS-0002', owner_sub: 'a' })),
      'has another id',
    ],
    ['that is no JSON', changed('customers', 'CUS-0001', '{'), 'is not a JSON object'],
    ['that is an array', changed('customers', 'CUS-0001', '[]'), 'is not a JSON object'],
    [
      'that is too large',
      changed('customers', 'CUS-0001', `"${'x'.repeat(1_990_000)}"`),
      'has 1990002 bytes',
    ],
  ])('refuses a row %s', async (_, row, message) => {
    expect(await send('a', await pieceOf([row]))).toEqual({
      status: 422,
      message: expect.stringContaining(message),
    });
  });

  it('refuses two records with one id, and more rows than were announced', async () => {
    const [row] = customersOf('mbili', 1);
    const { announced } = await pieceOf([row as MovedRow, row as MovedRow]);
    const twice = await send('mbili', { announced, from: 0, rows: [row, row] });
    expect(twice).toEqual({ status: 422, message: 'two records have the same id' });
    const more = await send('mbili', { announced, from: 0, rows: customersOf('mbili', 3) });
    expect(more).toMatchObject({ status: 422, message: expect.stringContaining('announced') });
  });
});

describe('The admin Worker', () => {
  it('says of an account that never wrote that it holds nothing', async () => {
    const state = await askMaintenance(workers.maintenance, 'GET', '/state?account=hakuna');
    const numbers = { records: 0, bytes: 0, revision: 0, taken: 0 };
    const nothing = { state: 'none', digest: '', sequences: {}, ...numbers };
    expect(state).toEqual({ status: 200, json: { data: nothing } });
    const piece = await askMaintenance(workers.maintenance, 'GET', '/records?account=hakuna');
    const empty = { rows: [], last: 0, isLast: true, revision: 0, sequences: {} };
    expect(piece).toEqual({ status: 200, json: { data: empty } });
  });

  it.each([
    ['no JSON', '{'],
    [
      'a byte order mark',
      '\uFEFF{"announced":{"records":0,"bytes":0,"digest":"","sequences":{}},"from":0,"rows":[]}',
    ],
    [
      'bytes that are no UTF-8',
      Buffer.from(
        '{"announced":{"records":0,"bytes":0,"digest":"\xFF","sequences":{}},"from":0,"rows":[]}',
        'latin1',
      ),
    ],
    ['an array of nonsense', '[[]]'],
    [
      'a piece without rows',
      '{"announced":{"records":1,"bytes":1,"digest":"","sequences":{}},"from":0}',
    ],
    [
      'a highest number of no collection',
      '{"announced":{"records":0,"bytes":0,"digest":"","sequences":{"x":1}},"from":0,"rows":[]}',
    ],
    [
      'a negative place',
      '{"announced":{"records":0,"bytes":0,"digest":"","sequences":{}},"from":-1,"rows":[]}',
    ],
  ])('refuses %s as a piece', async (_, text) => {
    const response = await fetch(`${workers.maintenance}/records?account=x`, {
      method: 'PUT',
      headers: OPERATOR,
      body: text,
    });
    expect(response.status).toBe(400);
  });

  it('refuses a piece that is too large, and a move of nobody', async () => {
    const init = { method: 'PUT', headers: OPERATOR, body: ' '.repeat(17_000_000) };
    expect((await fetch(`${workers.maintenance}/records?account=x`, init)).status).toBe(413);
    const piece = await pieceOf(customersOf('x', 1));
    const nobody = await askMaintenance(workers.maintenance, 'PUT', '/records', piece);
    expect(nobody.status).toBe(400);
  });

  it('takes an audit event once, and only what is one', async () => {
    const event = (timestamp: unknown) =>
      JSON.stringify({ actor: 'admin', owner_sub: 'x', timestamp, changed: [] });
    const at = (number: number, text: string) => ({ owner: 'x', epoch: 'e', number, event: text });
    const events = [at(1, event('2026-01-01T00:00:00Z')), at(2, event('2026-01-01T00:00:00Z'))];
    const put = (some: unknown) =>
      askMaintenance(workers.maintenance, 'PUT', '/audit-events', some);
    const total = async () =>
      (await ask('/admin/audit', OPERATOR)).json.meta.pagination.total as number;
    const before = await total();
    expect((await put(events)).json.data).toEqual({ known: 2 });
    expect((await put(events)).json.data).toEqual({ known: 2 });
    expect(await total()).toBe(before + 2);
    for (const bad of ['nonsense', event(undefined), event(5), '[]']) {
      expect((await put([at(3, bad)])).status).toBe(400);
    }
  });

  it('has the routes of a move for its key alone, and the service has none', async () => {
    for (const path of ['/accounts', '/state?account=x', '/records?account=x', '/audit-events']) {
      expect((await fetch(`${workers.maintenance}${path}`)).status).toBe(401);
      expect((await fetch(`${workers.service}${path}`, { headers: OPERATOR })).status).toBe(404);
    }
  });
});
