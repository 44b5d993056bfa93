// The whole answer to a request of node:http, as JSON.

import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** Rejects where half of it arrives, or what is no JSON. */
export async function jsonReply(response: IncomingMessage) {
  const status = response.statusCode ?? 0;
  const answer = await text(response);
  if (!response.complete) throw new Error('half an answer');
  try {
    return { status, json: JSON.parse(answer) };
  } catch {
    throw new Error(`${status} ${answer}`);
  }
}
