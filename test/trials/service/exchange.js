// One request and its whole answer, for the trials and for their programs that `node` starts.

import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Histories freeze a service for 20 s. */
const ANSWER_MAX_MS = 30_000;

/**
 * Rejects unless a whole answer arrives, by default in 30 s.
 * @param {string} url
 * @param {import('node:http').RequestOptions & { body?: string | undefined }} options
 */
export async function exchange(url, { body = '', ...options }) {
  /** @type {import('node:http').IncomingMessage} */
  const response = await new Promise((resolve, reject) => {
    const sent = request(url, { timeout: ANSWER_MAX_MS, ...options }, resolve);
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject).end(body);
  });
  const answer = await text(response);
  if (!response.complete) throw new Error('incomplete answer');
  return { status: response.statusCode ?? 0, text: answer };
}
