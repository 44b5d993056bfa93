// A stub identity provider on loopback. It accepts every token: the part before
// `~` is the account's name, and the rest only makes tokens distinct.

import { createServer } from 'node:http';
import { announce } from './fixed-responses.js';

const server = createServer(({ headers }, response) => {
  const token = (headers.authorization ?? '').replace(/^Bearer /, '');
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ sub: token.split('~', 1)[0] }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') announce(address.port);
});
