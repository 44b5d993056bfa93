// An identity provider's user-information endpoint on loopback. The token
// `is.SUBJECT` (in base64url) is accepted for that subject; every other is a 401.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { MADE_UP_TOKEN } from '../../src/core/identity/probe.js';
import { onLoopback } from './loopback.js';

export interface IdentityStub {
  readonly url: string;
  /** The tokens of callers, in the order of the checks. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Answers one request. `token` is the text after `Bearer `. */
export type Behaviour = (token: string, response: ServerResponse, request: IncomingMessage) => void;

export function tokenOf(subject: string): string {
  return `is.${Buffer.from(subject).toString('base64url')}`;
}

/** The request headers of an account. */
export function asAccount(subject: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${tokenOf(subject)}` };
}

export const byToken = (token: string, response: ServerResponse): void => {
  const subject = token.startsWith('is.')
    ? Buffer.from(token.slice(3), 'base64url').toString()
    : '';
  response.writeHead(subject === '' ? 401 : 200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(subject === '' ? { error: 'invalid_token' } : { sub: subject }));
};

/** With `seesStart` the behaviour answers the question that a service asks at its start, too. */
export async function openIdentityStub(
  behaviour: Behaviour = byToken,
  { seesStart = false } = {},
): Promise<IdentityStub> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    // The question at the start may come at any time. It is not counted, because no caller sent it.
    if (token === MADE_UP_TOKEN && !seesStart) {
      byToken(token, response);
      return;
    }
    asked.push(token);
    behaviour(token, response, request);
  });
  const { origin, close } = await onLoopback(server);
  return { url: `${origin}/userinfo`, asked, close };
}
