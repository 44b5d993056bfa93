// One request and its whole answer, for the trials' programs that `node` starts.

import { request } from 'node:http';

const ANSWER_MAX_MS = 15_000;

/**
 * @typedef {object} Sent
 * @property {import('node:http').Agent} agent
 * @property {string} method
 * @property {Readonly<Record<string, string>>} headers
 * @property {string} [body]
 */

/**
 * Rejects where no whole answer comes in 15 s.
 * @returns {Promise<{ status: number, text: string }>}
 */
export function exchange(
  /** @type {string} */ url,
  /** @type {Sent} */ { agent, method, headers, body = '' },
) {
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers, timeout: ANSWER_MAX_MS };
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in 15 s')));
    sent.on('error', reject);
    sent.end(body);
  });
}
