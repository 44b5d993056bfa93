// What a floor answers: the service's own answers, byte for byte.

import { readFileSync } from 'node:fs';

/** @typedef {{ status: 200 | 201, headers: Record<string, string>, body: string }} FixedAnswer */

/** @typedef {Partial<Record<'GET' | 'POST' | 'PATCH', FixedAnswer>>} FixedAnswers */

/** @returns {FixedAnswers} */
export function readAnswers(/** @type {string | undefined} */ file) {
  return JSON.parse(readFileSync(file ?? '', 'utf8'));
}

/** Tells the benchmark where this process listens. */
export function announce(/** @type {number} */ port) {
  process.stdout.write(`${JSON.stringify({ address: `http://127.0.0.1:${port}` })}\n`);
}
