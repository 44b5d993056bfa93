// The built Worker in Miniflare where it differs from Node: storage in doubt, a lost object, two
// releases alive, settings that are not texts, and the platform's six connections.

import { expect, it, onTestFinished } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY, createFor, describeContract, type Row } from '../support/contract.js';
import { asAccount, byToken, openIdentityStub } from '../support/identity-stub.js';
import { openFolder } from '../support/test-folder.js';
import { workerHost } from '../support/worker-host.js';
import { openWorker } from './open-worker.js';

const PLANTED = workerHost(
  'Worker with planted failures',
  new URL('./planted-faults-worker.ts', import.meta.url),
);

describeContract(
  'A failure of the object',
  (service) => {
    const plant = async (faults: object) => {
      const init = { method: 'POST', body: JSON.stringify(faults) };
      return service.withoutDocument(async () => (await service.fetch('/plant', init)).json());
    };

    it('that leaves a write in doubt ends the object: the write is 500, and the next request reads what is stored', async () => {
      const account = service.account();
      const first = await account.create('orders', VALID_BODY.orders);
      await plant({ doubt: true });
      const doubtful = await account.post('/orders', VALID_BODY.orders);
      expect([doubtful.status, doubtful.json.error?.code]).toEqual([500, 'STORAGE_FAILED']);
      const list = async () => (await account.get<Row[]>('/orders')).json.data;
      const listed = await list();
      expect(listed.at(-1)).toEqual(first);
      await service.restart();
      expect(await list()).toEqual(listed);
      const next = await account.create('orders', VALID_BODY.orders);
      expect(await list()).toEqual([next, ...listed]);
    });

    it('is hidden from a read, which is retried once, and never from a write', async () => {
      const account = service.account();
      const record = await account.create('orders', VALID_BODY.orders);
      await plant({ losses: 1 });
      expect((await account.get(`/orders/${record.id}`)).json.data).toEqual(record);
      expect(await plant({ losses: 1 })).toEqual({ arrived: 2 });
      const lost = await account.post('/orders', VALID_BODY.orders);
      expect([lost.status, lost.json.error?.code]).toEqual([500, 'STORAGE_FAILED']);
      expect(await plant({ losses: 2 })).toEqual({ arrived: 1 });
      const { status, headers, json } = await account.get('/orders');
      expect([status, json.error?.code]).toEqual([503, 'STORAGE_UNAVAILABLE']);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect((await account.get('/orders')).json.data).toHaveLength(1);
    });

    it('that affects only an audit event keeps the change', async () => {
      const account = service.account();
      const refusal = "begin select raise(abort, 'injected'); end";
      await service.restartChanged(`create trigger t before insert on audit_events ${refusal}`);
      const kept = await createFor(service.operator, account.subject, 'orders');
      await service.restartChanged('drop trigger t');
      expect((await account.get('/orders')).json.data).toEqual([kept]);
      expect((await service.operator.get('/admin/audit')).json.data).toEqual([]);
    });

    it('caused by a newer release’s schema refuses every request until that release is back', async () => {
      const account = service.account();
      await account.create('orders', VALID_BODY.orders);
      await service.restartChanged('update schema_version set version = version + 1');
      expect((await account.get('/orders')).status).toBe(503);
      expect((await account.post('/orders', VALID_BODY.orders)).status).toBe(500);
      await service.restartChanged('update schema_version set version = version - 1');
      expect((await account.get('/orders')).json.data).toHaveLength(1);
    });
  },
  { host: PLANTED },
);

async function openWith(settings: object, nextRelease?: string) {
  const folder = await openFolder();
  onTestFinished(() => folder.remove());
  const { ask, stop } = await openWorker(folder.path, settings, nextRelease);
  onTestFinished(stop);
  return ask;
}

it('Two concurrent releases show each other’s writes, lose none, and assign no id twice', async () => {
  await using identity = await openIdentityStub();
  const ask = await openWith({ AUTH_USERINFO_URL: identity.url }, 'next-release');
  const shared = asAccount('shared');
  const { json } = await ask('POST', '/customers', shared, VALID_BODY.customers);
  const path = `/customers/${json.data.id}`;
  const all = <T>(count: number, each: (i: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, i) => each(i)));
  const writes = await all(40, (i) => ask('PATCH', path, shared, { [`p${i}`]: i }, i % 2));
  expect(writes.every(({ status }) => status === 200)).toBe(true);
  for (const release of [0, 1]) {
    const { data } = (await ask('GET', path, shared, undefined, release)).json;
    expect(Object.keys(data)).toHaveLength(4 + 40);
  }
  const accounts = [asAccount('amina'), asAccount('neema')];
  const created = await all(60, (i) =>
    ask('POST', '/orders', accounts[i % 2] ?? {}, VALID_BODY.orders, i % 2),
  );
  expect(new Set(created.map((reply) => reply.json.data.id)).size).toBe(60);
});

it.each<[string, unknown]>([
  ['AUTH_AUDIENCE', ['shop-api']],
  ['CORS_ALLOWED_ORIGINS', ['https://shop.example']],
  ['AUTH_USERINFO_HEADERS', { apikey: 'a' }],
  ['SAMPLE_RECORDS', false],
  ['ACCOUNT_MAX_RECORDS', 2.5],
  ['MAINTENANCE', true],
  ['AUTH_USERINFO_URL', 'http://canary.example.com/not-loopback'],
])('An invalid setting is 503 for every request: %s', async (name, value) => {
  const ask = await openWith({ [name]: value });
  for (const [method, path] of [
    ['GET', '/health'],
    ['GET', '/orders'],
    ['POST', '/orders'],
    ['GET', '/admin/overview'],
  ] as const) {
    const headers = { ...asAccount('amina'), 'X-Service-Admin-Key': ADMIN_KEY };
    const { status, json, text, headers: sent } = await ask(method, path, headers);
    expect([status, json.error?.code]).toEqual([503, 'STORAGE_UNAVAILABLE']);
    expect(text).not.toContain('canary');
    expect(sent.get('access-control-allow-origin')).toBeNull();
  }
});

it('A setting that is a number or boolean counts as its text', async () => {
  await using identity = await openIdentityStub();
  const settings = { ACCOUNT_MAX_RECORDS: 1, AUTH_CACHE_SECONDS: 5 };
  const ask = await openWith({ AUTH_USERINFO_URL: identity.url, ...settings });
  const create = () => ask('POST', '/orders', asAccount('amina'), VALID_BODY.orders);
  expect([(await create()).status, (await create()).json.error?.code]).toEqual([
    201,
    'QUOTA_EXCEEDED',
  ]);
  expect(identity.tokens).toHaveLength(1);
});

it('Identity checks wait for one of the platform’s six connections, and none fails', async () => {
  let [underWay, most] = [0, 0];
  await using identity = await openIdentityStub((token, response) => {
    most = Math.max(most, ++underWay);
    setTimeout(() => {
      underWay--;
      byToken(token, response);
    }, 20);
  });
  const ask = await openWith({ AUTH_USERINFO_URL: identity.url });
  const checks = Array.from({ length: 90 }, (_, i) => ask('GET', '/team', asAccount(`a${i % 45}`)));
  const statuses = (await Promise.all(checks)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(most).toBeLessThanOrEqual(6);
});
