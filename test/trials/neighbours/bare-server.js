// A bare server of Node that answers the neighbour and the attack of the long lists without
// records, checks or turns: it shows how much of a delay is the machine's and Node's own.

import { createServer } from 'node:http';

const LIST = Buffer.alloc(3_600_000, 'x');
/** How many creates of each token. @type {Map<string, number>} */
const created = new Map();

const server = createServer((request, response) => {
  request.on('error', () => {}).resume();
  request.on('end', () => {
    const { method, url = '' } = request;
    if (url.endsWith('page_size=100')) {
      response.end(LIST);
      return;
    }
    const token = request.headers.authorization ?? '';
    const total = (created.get(token) ?? 0) + (method === 'POST' ? 1 : 0);
    created.set(token, total);
    const id = method === 'POST' ? `CUS-${total}` : url.slice(url.lastIndexOf('/') + 1);
    const data = { id, name: 'Neema', phone: '1' };
    const answer = { data, meta: { pagination: { total } } };
    response.writeHead(method === 'POST' ? 201 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(
    `${JSON.stringify({ event: 'started', address: `http://127.0.0.1:${port}` })}\n`,
  );
});
