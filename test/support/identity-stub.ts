// An identity provider's user-information endpoint on loopback. The token
// `is.SUBJECT` (in base64url) is accepted for that subject; every other is a 401.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenLocally } from './listen.js';

export type IdentityStub = Awaited<ReturnType<typeof openIdentityStub>>;

/** Responds to one request. `token` is the text after `Bearer `. */
export type Behaviour = (token: string, response: ServerResponse, request: IncomingMessage) => void;

export function tokenOf(subject: string): string {
  return `is.${Buffer.from(subject).toString('base64url')}`;
}

/** The request headers of an account. */
export function asAccount(subject: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${tokenOf(subject)}` };
}

export const byToken = (token: string, response: ServerResponse): void => {
  const sub = token.startsWith('is.') ? Buffer.from(token.slice(3), 'base64url').toString() : '';
  response.writeHead(sub === '' ? 401 : 200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(sub === '' ? { error: 'invalid_token' } : { sub }));
};

/** A complete response. Text and bytes are sent unchanged, other values as JSON. */
export function answer(
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' },
): Behaviour {
  return (_token, response) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, headers).end(raw ? body : JSON.stringify(body));
  };
}

export async function openIdentityStub(behaviour: Behaviour = byToken) {
  /** The tokens of the requests so far. */
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    tokens.push(token);
    behaviour(token, response, request);
  });
  const { origin, close } = await listenLocally(server);
  return { url: `${origin}/userinfo`, tokens, close, [Symbol.asyncDispose]: close };
}
