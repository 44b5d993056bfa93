// A clock in the server itself: connections whose headers never come, one after the other. A
// test that asks what ends first needs no bound on the wall clock.

import { HEADER_READ_TIMEOUT_MS } from '../../src/core/domain/limits.js';
import { openRaw } from './raw-http.js';

/** Resolves when the server has ended so many in a row that more than this time is over. */
export async function serverTimePasses(origin: string, milliseconds: number): Promise<void> {
  const links = Math.ceil((milliseconds + 1) / HEADER_READ_TIMEOUT_MS);
  for (let link = 0; link < links; link++) await openRaw(origin, 'GET /api').over;
}
