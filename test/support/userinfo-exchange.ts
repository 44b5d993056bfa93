// One request to a user-information endpoint on loopback with a given answer.

import type { OutgoingHttpHeaders } from 'node:http';
import type { Identity } from '../../src/core/identity/identity-provider.js';
import { type UserinfoOptions, userinfoIdentity } from '../../src/core/identity/sign-in.js';
import { type Behaviour, openIdentityStub } from './identity-stub.js';
import { type KeptLine, keptLog } from './kept-log.js';

export interface Asked {
  readonly identity: Identity;
  /** Number of requests to the endpoint. */
  readonly questions: number;
  readonly lines: readonly KeptLine[];
}

export interface Question {
  readonly token?: string;
  readonly options?: Partial<UserinfoOptions>;
}

/** Sends one request and closes the endpoint. */
export async function askOnce(behaviour: Behaviour, question: Question = {}): Promise<Asked> {
  const stub = await openIdentityStub(behaviour);
  const log = keptLog();
  try {
    const provider = userinfoIdentity({ url: stub.url, log, ...question.options });
    const identity = await provider.identify(question.token ?? 'a-token');
    return { identity, questions: stub.asked.length, lines: log.lines };
  } finally {
    await stub.close();
  }
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
