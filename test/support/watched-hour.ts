// An hour in which a console reads the figures of a service once a minute, and customers ask
// for their orders: it passes in seconds, because the console's clock is the test's own.

import type { OpenConsole, Visitor } from './console-visitor.js';
import { tokenOf } from './identity-stub.js';
import type { ServerProcess } from './server-process.js';

const MINUTE_MS = 60_000;
/** The plot has room for two more. */
const MINUTES = 58;

/** It ends now. */
export function watchedHour(server: Pick<ServerProcess, 'origin'>) {
  let now = Date.now() - MINUTES * MINUTE_MS;
  let minute = 0;

  /** Some requests of customers, sometimes a guess at the key; a minute later the console reads. */
  async function passMinute(visitor: Visitor): Promise<void> {
    const requests = 3 + ((minute * 7) % 11);
    const headers = { Authorization: `Bearer ${tokenOf('auth0|shop-9')}` };
    const asked = Array.from({ length: requests }, () =>
      fetch(`${server.origin}/api/v1/orders`, { headers }).catch(() => {}),
    );
    if (minute % 25 === 3) {
      const guess = { 'X-Service-Admin-Key': 'a guess' };
      asked.push(fetch(`${server.origin}/api/v1/admin/usage`, { headers: guess }).catch(() => {}));
    }
    await Promise.all(asked);
    minute++;
    now += MINUTE_MS;
    await visitor.get('/');
  }

  return {
    clock: () => now,
    passMinute,
    /** Resolves with the visitor, who looks each minute. */
    async pass(running: OpenConsole): Promise<Visitor> {
      const visitor = await running.signedIn();
      while (minute < MINUTES) await passMinute(visitor);
      return visitor;
    },
  };
}
