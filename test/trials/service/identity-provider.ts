// An identity provider on loopback. It accepts the tokens that `tokenOf` makes, unless a
// trial gives it another behaviour.

import { createServer, type ServerResponse } from 'node:http';
import { tokenOf } from '../../support/identity-stub.js';
import { onLoopback } from '../../support/loopback.js';

export type Behaviour = (token: string, response: ServerResponse) => void;

/** The request headers of an account. */
export function asAccount(subject: string) {
  return { Authorization: `Bearer ${tokenOf(subject)}` };
}

export const byToken: Behaviour = (token, response) => {
  const subject = Buffer.from(token.slice(3), 'base64url').toString();
  const good = /^is\.[\w-]+$/.test(token) && /^[ -~]+$/.test(subject);
  response.writeHead(good ? 200 : 401, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(good ? { sub: subject } : { error: 'invalid_token' }));
};

export async function openIdentityProvider(behaviour: Behaviour = byToken) {
  const server = createServer(({ headers }, response) => {
    behaviour((headers.authorization ?? '').replace(/^Bearer /, ''), response);
  });
  const { origin, close } = await onLoopback(server);
  return { url: `${origin}/userinfo`, close };
}
