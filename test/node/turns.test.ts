// Long work of every kind waits in one queue: a large body is never parsed in
// the event-loop turn of a search. The service in this process, to look at it.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/log.js';
import { type Service, startService } from '../../src/node/service.js';
import { Turns } from '../../src/records/turns.js';
import { readSettings } from '../../src/settings.js';
import { type IdentityStub, openIdentityStub } from '../support/identity-stub.js';
import { bearer } from '../support/node-service.js';
import { rawExchange, requestText } from '../support/raw-http.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

// The file's thread is there only once it is built.
vi.mock('../../src/libsql.js', () => import('service-management-api/libsql'));

let folder: TemporaryFolder;
let identity: IdentityStub;
let service: Service;

beforeEach(async () => {
  folder = await openTemporaryFolder();
  identity = await openIdentityStub();
  const settings = readSettings({
    PORT: '0',
    DATABASE_URL: `file:${join(folder.path, 'service.db')}`,
    AUTH_USERINFO_URL: identity.url,
  });
  service = await startService({ settings, log: silentLog, onStorageLost: () => {} });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.stop();
  await identity.close();
  await folder.remove();
});

it('has a search wait in the queue of the large bodies', async () => {
  const path = '/api/v1/customers';
  const head = [bearer('neema'), 'Connection: close'];
  const next = vi.spyOn(Turns.prototype, 'next');
  // In all more than a search goes through in one turn.
  for (let i = 0; i < 2; i++) {
    const body = JSON.stringify({ name: 'Neema', phone: '1', note: 'x'.repeat(1_040_000) });
    const creation = requestText('POST', path, head, body);
    expect((await rawExchange(service.origin, creation))[0]?.status).toBe(201);
  }
  const [ofBodies] = next.mock.contexts;
  expect(ofBodies).toBeInstanceOf(Turns);
  next.mockClear();
  await rawExchange(service.origin, requestText('GET', `${path}?q=nowhere`, head));
  expect(next.mock.contexts).toContain(ofBodies);
});
