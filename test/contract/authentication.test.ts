// Contract, "Authentication", "Data endpoints": which tokens are admitted, when
// the provider is asked, and that an account sees only its own records.

import { expect, it } from 'vitest';
import {
  type ContractService,
  describeContract,
  expectRefused,
  tenantPath,
} from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';

const CUSTOMER = { name: 'Neema Mushi', phone: '+255 713 445 210' };

function withAuthorization(service: ContractService, value: string, path = '/customers') {
  return service.anonymous.send('GET', path, { headers: { Authorization: value } });
}

describeContract('Authentication', (service) => {
  it.each([
    ['PUT', '/customers'],
    ['GET', '/invoices'],
  ])('%s %s without a token is 401, before any 404 or 405', async (method, path) => {
    const reply = await service.anonymous.send(method, path);
    expectRefused(reply, 401, 'UNAUTHORIZED');
    expect(reply.headers.has('allow')).toBe(false);
  });

  it.each([
    ['empty', ''],
    ['the scheme alone', 'Bearer'],
    ['another scheme', `Basic ${tokenOf('someone')}`],
    ['no scheme', tokenOf('someone')],
    ['no space', `Bearer${tokenOf('someone')}`],
    ['a tab for the space', `Bearer\t${tokenOf('someone')}`],
    ['two tokens', `Bearer ${tokenOf('someone')} ${tokenOf('other')}`],
    ['a parameter', `Bearer token="${tokenOf('someone')}"`],
    ['a character outside ASCII', 'Bearer é'],
    ['a padding without a token', 'Bearer =='],
    ['text after the padding', 'Bearer abc=def'],
  ])('a malformed header (%s) is 401 and the provider is not asked', async (_name, value) => {
    const before = service.identity.asked.length;
    const reply = await withAuthorization(service, value);
    expectRefused(reply, 401, 'UNAUTHORIZED');
    expect(service.identity.asked.length).toBe(before);
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])(
    'the scheme is accepted as "%s"',
    async (scheme) => {
      const reply = await withAuthorization(service, `${scheme} ${tokenOf('scheme-reader')}`);
      expect(reply.status).toBe(200);
    },
  );

  it('the token reaches the provider unchanged, with every character that a token may contain', async () => {
    const token = 'AZaz09-._~+/==';
    await withAuthorization(service, `Bearer ${token}`);
    expect(service.identity.asked.at(-1)).toBe(token);
  });

  it('a token that the provider refuses is 401, and the answer does not repeat it', async () => {
    const before = service.identity.asked.length;
    const reply = await withAuthorization(service, 'Bearer stolen-long-ago');
    expectRefused(reply, 401, 'UNAUTHORIZED');
    expect(reply.text).not.toContain('stolen-long-ago');
    expect(service.identity.asked.length).toBe(before + 1);
  });

  it('every request is checked with the provider', async () => {
    const account = service.account();
    const before = service.identity.asked.length;
    for (let i = 0; i < 3; i++) await account.get('/customers');
    expect(service.identity.asked.length).toBe(before + 3);
  });
});

/** Subjects that storage or a path could misread. */
const SUBJECTS = [
  'auth0|65f1c0ffee',
  'a b+c&d=e?f#g',
  ' spaces around ',
  'Łukasz/Ñandú?x=1#y&z',
  '日本語の名前',
  'e\u0301 decomposed',
  '\u00e9 decomposed',
  '"quoted" and \\ backslash',
  "Robert'); DROP TABLE records;--",
  '%2F%00',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'CASE',
  'case',
  // The longest that is taken.
  'x'.repeat(1024),
];

describeContract('Account isolation', (service) => {
  it('two tokens of one subject open the same account', async () => {
    const subject = 'one-person-two-phones';
    const { id } = await service.account(subject).create('customers', CUSTOMER);
    // Padding is ignored in base64url, so this is another token for the same subject.
    const reply = await withAuthorization(
      service,
      `Bearer ${tokenOf(subject)}=`,
      `/customers/${id}`,
    );
    expect(reply.status).toBe(200);
    expect(service.identity.asked.at(-1)).not.toBe(service.identity.asked.at(-2));
  });

  it.each(SUBJECTS)('the subject %j owns its records from create to delete', async (subject) => {
    const account = service.account(subject);
    expect((await account.get('/customers')).json.data).toEqual([]);
    const record = await account.create('customers', CUSTOMER);
    expect(record['owner_sub']).toBe(subject);
    expect((await account.get(`/customers/${record.id}`)).json.data).toEqual(record);
    const patched = await account.patch(`/customers/${record.id}`, { location: 'Ubungo' });
    expect(patched.json.data).toEqual({ ...record, location: 'Ubungo' });
    expect((await account.get('/customers')).json.data).toEqual([patched.json.data]);
    const path = tenantPath(subject, 'customers', record.id);
    const changed = await service.operator.patch(path, { location: 'Ilala' });
    expect(changed.json.data).toEqual({ ...record, location: 'Ilala' });
    expect((await account.delete(`/customers/${record.id}`)).status).toBe(200);
    expect((await account.get('/customers')).json.meta.pagination.total).toBe(0);
  });
});

describeContract('Accounts of unusual subjects', (service) => {
  it('own their records after a restart, and the operator finds each', async () => {
    const records = new Map<string, unknown>();
    for (const subject of SUBJECTS) {
      records.set(subject, await service.account(subject).create('customers', CUSTOMER));
    }
    await service.restart();
    for (const [subject, record] of records) {
      expect((await service.account(subject).get('/customers')).json.data).toEqual([record]);
      expect((await service.operator.get(tenantPath(subject))).json.data.owner_sub).toBe(subject);
    }
  });
});

// Every operation: contract/every-operation.
describeContract(
  'Without an identity provider',
  (service) => {
    it('a token is 503 before any 404 or 405, and a missing or malformed one is still 401', async () => {
      for (const [method, path] of [
        ['PUT', '/customers'],
        ['GET', '/invoices'],
      ] as const) {
        const reply = await service.account('local-preview').send(method, path);
        expectRefused(reply, 503, 'AUTH_UNAVAILABLE');
      }
      expectRefused(await service.anonymous.get('/customers'), 401, 'UNAUTHORIZED');
      expectRefused(await withAuthorization(service, 'Bearer'), 401, 'UNAUTHORIZED');
    });

    it('health and the administration API answer', async () => {
      expect((await service.anonymous.get('/health')).status).toBe(200);
      expect((await service.operator.get('/admin/overview')).status).toBe(200);
    });
  },
  { settings: { AUTH_USERINFO_URL: '' } },
);

describeContract(
  'A service whose provider stops',
  (service) => {
    it('answers 503, changes nothing, and still refuses a missing token with 401', async () => {
      const account = service.account();
      await account.create('customers', CUSTOMER);
      const count = async () =>
        (await service.operator.get('/admin/overview')).json.data.record_count;
      const before = await count();
      await service.identity.close();
      for (const reply of [
        await account.get('/customers'),
        await account.post('/customers', CUSTOMER),
        await service.account().get('/invoices'),
      ]) {
        expectRefused(reply, 503, 'AUTH_UNAVAILABLE');
      }
      expect(await count()).toBe(before);
      expect((await service.anonymous.get('/customers')).status).toBe(401);
      expect((await service.anonymous.get('/health')).status).toBe(200);
    });
  },
  { ownService: true },
);

describeContract('A burst', (service) => {
  it("of an account's first requests is admitted as a whole", async () => {
    const account = service.account();
    const replies = await Promise.all(Array.from({ length: 150 }, () => account.get('/customers')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
