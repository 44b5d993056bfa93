// A stub identity provider on loopback. Everyone is let in: the token is the
// account's name, up to a `~`, behind which it may be made different.

import { createServer } from 'node:http';
import { announce } from './answer-file.js';

const server = createServer(({ headers }, response) => {
  const token = (headers.authorization ?? '').replace(/^Bearer /, '');
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ sub: token.split('~', 1)[0] }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') announce(address.port);
});
