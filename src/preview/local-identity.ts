// The preview's identity provider: a user-information endpoint that accepts the
// token `local-NAME` for the subject `local-NAME`. It verifies nothing, so a deployed
// service must not contain it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { localSubject } from '../core/identity/local-tokens.js';

export function answerUserinfo({ headers }: IncomingMessage, response: ServerResponse): void {
  const [, token = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  const sub = localSubject(token);
  response.writeHead(sub === undefined ? 401 : 200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(sub === undefined ? { error: 'invalid_token' } : { sub }));
}
