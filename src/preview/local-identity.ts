// The preview's identity provider: a user-information endpoint that accepts the
// token `local-NAME` for the subject `local-NAME`. It checks nobody, so a deployed
// service must not contain it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { localSubject } from '../core/identity/local-tokens.js';

const BEARER = /^Bearer (.+)$/i;

export function answerUserinfo(request: IncomingMessage, response: ServerResponse): void {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
  const subject = localSubject(token ?? '');
  response.writeHead(subject === undefined ? 401 : 200, { 'Content-Type': 'application/json' });
  response.end(
    JSON.stringify(subject === undefined ? { error: 'invalid_token' } : { sub: subject }),
  );
}
