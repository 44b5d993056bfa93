// One request to a user-information endpoint on loopback with a given answer.

import type { OutgoingHttpHeaders } from 'node:http';
import { type UserinfoOptions, userinfoIdentity } from '../../src/core/identity/sign-in.js';
import { type Behaviour, openIdentityStub } from './identity-stub.js';
import { keptLog } from './kept-log.js';

/** Sends one request and closes the endpoint. `questions`: how many requests came there. */
export async function askOnce(
  behaviour: Behaviour,
  { token = 'a-token', options = {} as Partial<UserinfoOptions> } = {},
) {
  await using stub = await openIdentityStub(behaviour);
  const log = keptLog();
  const identity = await userinfoIdentity({ url: stub.url, log, ...options }).identify(token);
  return { identity, questions: stub.asked.length, lines: log.lines };
}

/** A complete answer. Text and bytes are sent unchanged, other values as JSON. */
export function answer(
  status: number,
  body: unknown = '',
  headers: OutgoingHttpHeaders = { 'Content-Type': 'application/json' },
): Behaviour {
  return (_token, response) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, headers).end(raw ? body : JSON.stringify(body));
  };
}
