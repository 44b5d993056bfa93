// Contract, "Authentication": which tokens are accepted, when the provider is called, that an
// account sees only its own records, and which admin keys are accepted. On every path: routing.

import { expect, it } from 'vitest';
import type { Account, Overview } from '../../src/core/domain/api-schema.js';
import { ROUTES } from '../support/collection-table.js';
import {
  ADMIN_KEY,
  type ContractService,
  describeContract,
  expectError,
  tenantPath,
} from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';

const CUSTOMER = { name: 'Neema Mushi', phone: '+255 713 445 210' };

function withAuthorization(service: ContractService, value: string, path = '/customers') {
  return service.anonymous.send('GET', path, { headers: { Authorization: value } });
}

describeContract('Authentication', (service) => {
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
  ])(
    'refuses a malformed header (%s) with 401, without calling the provider',
    async (_name, value) => {
      const before = service.identity.tokens.length;
      const reply = await withAuthorization(service, value);
      expectError(reply, 401, 'UNAUTHORIZED');
      expect(service.identity.tokens.length).toBe(before);
    },
  );

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])(
    'accepts the scheme "%s"',
    async (scheme) => {
      const reply = await withAuthorization(service, `${scheme} ${tokenOf('scheme-reader')}`);
      expect(reply.status).toBe(200);
    },
  );

  it('passes the token to the provider unchanged, with every character that a token may contain', async () => {
    const token = 'AZaz09-._~+/==';
    await withAuthorization(service, `Bearer ${token}`);
    expect(service.identity.tokens.at(-1)).toBe(token);
  });

  it('returns 401 if the provider refuses the token, and does not echo the token', async () => {
    const before = service.identity.tokens.length;
    const reply = await withAuthorization(service, 'Bearer stolen-long-ago');
    expectError(reply, 401, 'UNAUTHORIZED');
    expect(reply.text).not.toContain('stolen-long-ago');
    expect(service.identity.tokens.length).toBe(before + 1);
  });

  it('checks every request with the provider', async () => {
    const account = service.account();
    const before = service.identity.tokens.length;
    for (let i = 0; i < 3; i++) await account.get('/customers');
    expect(service.identity.tokens.length).toBe(before + 3);
  });

  it("admits every request of an account's first burst", async () => {
    const account = service.account();
    const replies = await Promise.all(Array.from({ length: 150 }, () => account.get('/customers')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
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
  '.',
  '..',
  '~.',
  '~~..',
  '...',
  '~a',
  // The longest accepted subject.
  'x'.repeat(1024),
];

describeContract('An account', (service) => {
  it('is accessible with every token of its subject', async () => {
    const account = service.account();
    const { id } = await account.create('customers', CUSTOMER);
    // Padding is ignored in base64url, so this is another token for the same subject.
    const other = `Bearer ${tokenOf(account.subject)}=`;
    expect((await withAuthorization(service, other, `/customers/${id}`)).status).toBe(200);
    expect(service.identity.tokens.at(-1)).not.toBe(service.identity.tokens.at(-2));
  });

  it.each(SUBJECTS)('of the subject %j owns its records from create to delete', async (subject) => {
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

  it('of an unusual subject owns its records after a restart, and the operator finds it', async () => {
    const records = new Map<string, { id: string }>();
    for (const subject of SUBJECTS) {
      records.set(subject, await service.account(subject).create('customers', CUSTOMER));
    }
    await service.restart();
    for (const [subject, record] of records) {
      const account = service.account(subject);
      expect((await account.get('/customers')).json.data).toEqual([record]);
      const { data } = (await service.operator.get<Account>(tenantPath(subject))).json;
      expect(data.owner_sub).toBe(subject);
      await account.delete(`/customers/${record.id}`);
    }
  });
});

describeContract('The administration API', (service) => {
  const { operator, anonymous } = service;

  it('refuses a key that differs in one character', async () => {
    const headers = { 'X-Service-Admin-Key': `${ADMIN_KEY.slice(0, -1)}!` };
    const reply = await anonymous.send('GET', '/admin/overview', { headers });
    expectError(reply, 401, 'UNAUTHORIZED');
  });

  it('requires the key on an escaped spelling of its path, too', async () => {
    expectError(await anonymous.get('/%61dmin/overview'), 401, 'UNAUTHORIZED');
    expect((await operator.get('/%61dmin/overview')).status).toBe(200);
  });

  it('neither accepts nor checks a bearer token, alone or with the key', async () => {
    const before = service.identity.tokens.length;
    for (const path of ['/admin/overview', '/admin/nothing']) {
      expectError(await service.account().get(path), 401, 'UNAUTHORIZED');
    }
    const headers = { Authorization: 'Bearer whatever' };
    expect((await operator.send('GET', '/admin/overview', { headers })).status).toBe(200);
    expect(service.identity.tokens.length).toBe(before);
  });

  it.each(['/customers', '/adminx', '/administration/overview', '/Admin/overview'])(
    'leaves %s to the data API, where its key has no effect',
    async (path) => {
      expectError(await operator.get(path), 401, 'UNAUTHORIZED');
      expect((await service.account().get(path)).status).toBe(path === '/customers' ? 200 : 404);
    },
  );
});

const ADMIN_PATHS = ROUTES.map(([path]) => path).filter((path) => path.startsWith('/admin'));

describeContract(
  'The administration API without a configured key',
  (service) => {
    it.each([...ADMIN_PATHS, '/admin', '/admin/', '/admin/nothing'])(
      'returns 503 at %s, for every method and caller',
      async (path) => {
        for (const caller of [service.operator, service.anonymous, service.account()]) {
          for (const method of ['GET', 'POST', 'PUT']) {
            expectError(await caller.send(method, path), 503, 'ADMIN_DISABLED');
          }
          if (caller.subject !== '') expect((await caller.get('/customers')).status).toBe(200);
        }
      },
    );
  },
  { settings: { ADMIN_API_KEY: '' } },
);

describeContract(
  'Without an identity provider',
  (service) => {
    it('a token gets 503 before any 404 or 405, and a missing or malformed one still gets 401', async () => {
      for (const [method, path] of [
        ['PUT', '/customers'],
        ['GET', '/invoices'],
      ] as const) {
        const reply = await service.account('local-preview').send(method, path);
        expectError(reply, 503, 'AUTH_UNAVAILABLE');
      }
      expectError(await service.anonymous.get('/customers'), 401, 'UNAUTHORIZED');
      expectError(await withAuthorization(service, 'Bearer'), 401, 'UNAUTHORIZED');
    });

    it('health and the administration API still work', async () => {
      expect((await service.anonymous.get('/health')).status).toBe(200);
      expect((await service.operator.get<Overview>('/admin/overview')).status).toBe(200);
    });
  },
  { settings: { AUTH_USERINFO_URL: '' } },
);

describeContract(
  'A service whose provider goes down',
  (service) => {
    it('returns 503, changes nothing, and still refuses a missing token with 401', async () => {
      const account = service.account();
      await account.create('customers', CUSTOMER);
      const count = async () =>
        (await service.operator.get<Overview>('/admin/overview')).json.data.record_count;
      const before = await count();
      await service.identity.close();
      for (const reply of [
        await account.get('/customers'),
        await account.post('/customers', CUSTOMER),
        await service.account().get('/invoices'),
      ]) {
        expectError(reply, 503, 'AUTH_UNAVAILABLE');
      }
      expect(await count()).toBe(before);
      expect((await service.anonymous.get('/customers')).status).toBe(401);
      expect((await service.anonymous.get('/health')).status).toBe(200);
    });
  },
  { ownService: true },
);
