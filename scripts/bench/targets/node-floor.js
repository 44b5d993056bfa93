// The floor of the platform: `node:http` with a constant answer.

import { createServer } from 'node:http';
import { announce, readAnswers } from './answer-file.js';

const { GET } = readAnswers(process.argv[2]);
if (GET === undefined) throw new Error('no answer to give');

const server = createServer((_request, response) => {
  response.writeHead(GET.status, GET.headers);
  response.end(GET.body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') announce(address.port);
});
