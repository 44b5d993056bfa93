// How wrong admin keys are logged: one line a minute for each address, with the number of its
// refusals since its last line.

import { expect, it } from 'vitest';
import { createHandler, openRecords } from '../../src/handler.js';
import { openMemoryStorage } from '../../src/memory.js';
import { memoryLog } from '../support/memory-log.js';

const KEY = 'the-operator-key-of-the-handler-tests';
const WRONG_KEY = { 'X-Service-Admin-Key': 'a guess' };
const MINUTE_MS = 60_000;

/** A service whose clock stands still until a test sets it. */
async function openService(adminKey = KEY) {
  const log = memoryLog();
  const time = { now: Date.UTC(2026, 0, 14) };
  const records = await openRecords({ storage: openMemoryStorage() });
  const handler = createHandler({ records, adminKey, log, clock: () => time.now });
  return {
    log,
    time,
    async guessFrom(...addresses: readonly (string | undefined)[]): Promise<void> {
      for (const remoteAddress of addresses) {
        const request = new Request('http://localhost/api/v1/admin/usage', { headers: WRONG_KEY });
        expect((await handler(request, { remoteAddress: () => remoteAddress })).status).toBe(401);
      }
    },
    ask: (path: string, headers: Record<string, string>) =>
      handler(new Request(`http://localhost/api/v1${path}`, { headers })),
  };
}

function line(remoteAddress: string, suppressed?: number) {
  const fields = { remote_address: remoteAddress, ...(suppressed && { suppressed }) };
  return { level: 'warn', event: 'admin_key_refused', fields };
}

it('The log names an address once a minute, with the number of refusals since its last line', async () => {
  const { log, time, guessFrom } = await openService();
  await guessFrom('192.0.2.1', '192.0.2.1', '192.0.2.2', undefined, '192.0.2.1');
  const first = [line('192.0.2.1'), line('192.0.2.2'), line('unknown')];
  expect(log.lines).toEqual(first);
  time.now += MINUTE_MS - 1;
  await guessFrom('192.0.2.2');
  expect(log.lines).toEqual(first);
  time.now += 1;
  await guessFrom('192.0.2.2', '192.0.2.1');
  expect(log.lines).toEqual([...first, line('192.0.2.2', 1), line('192.0.2.1', 2)]);
});

it('The log names at most a hundred addresses a minute, so that no attacker fills the disk', async () => {
  const { log, time, guessFrom } = await openService();
  const addresses = Array.from({ length: 125 }, (_, i) => `192.0.2.${i}`);
  await guessFrom(...addresses);
  expect(log.lines).toEqual(addresses.slice(0, 100).map((address) => line(address)));
  time.now += MINUTE_MS;
  await guessFrom('192.0.2.124');
  expect(log.lines.slice(100)).toEqual([line('192.0.2.124')]);
});

it.each([
  ['a request without a key', '/admin/usage', {}, KEY],
  ['a key on another path', '/customers', WRONG_KEY, KEY],
  ['a service without an admin key', '/admin/usage', WRONG_KEY, ''],
])('The log has no trace of %s', async (_name, path, headers, adminKey) => {
  const { log, ask } = await openService(adminKey);
  expect((await ask(path, headers)).ok).toBe(false);
  expect(log.lines).toEqual([]);
});
