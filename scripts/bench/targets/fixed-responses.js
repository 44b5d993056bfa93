// The fixed responses of a floor: the service's own, byte for byte.

import { readFileSync } from 'node:fs';

/** @typedef {{ status: 200 | 201, headers: Record<string, string>, body: string }} FixedResponse */

/** @typedef {Partial<Record<'GET' | 'POST' | 'PATCH', FixedResponse>>} FixedResponses */

/** @returns {FixedResponses} */
export function readResponses(/** @type {string | undefined} */ file) {
  return JSON.parse(readFileSync(file ?? '', 'utf8'));
}

/** Prints the address on which this process listens. */
export function announce(/** @type {number} */ port) {
  process.stdout.write(`${JSON.stringify({ address: `http://127.0.0.1:${port}` })}\n`);
}
