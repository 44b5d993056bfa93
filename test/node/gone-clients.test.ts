// Clients that go before their body is read: what was held for them is given back, so
// that their account can go on writing.

import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openIdentityStub } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, requestText } from '../support/raw-http.js';

const CUSTOMERS = '/api/v1/customers';
const CUSTOMER = JSON.stringify({ name: 'Neema', phone: '1' });
/** A body without a length claims a mebibyte: these claim twice what an account may hold. */
const CLIENTS = 40;

let service: NodeService;
beforeAll(async () => {
  service = await openNodeService();
});
afterAll(() => service.close());

it('leave no memory held, although the provider answers only after they have gone', async () => {
  const headers = ['Authorization: Bearer token', 'Transfer-Encoding: chunked'];
  const head = requestText('POST', CUSTOMERS, headers);
  const text = `${head}${CUSTOMER.length.toString(16)}\r\n${CUSTOMER}\r\n0\r\n\r\n`;
  const gates: (() => void)[] = [];
  let isOpen = false;
  const stub = await openIdentityStub((token, response) => {
    const answer = () => response.end(JSON.stringify({ sub: token }));
    if (isOpen) answer();
    else gates.push(answer);
  });
  const server = await service.start({ AUTH_USERINFO_URL: stub.url });
  /** The server has everything sent so far when it answers a later connection. */
  const caughtUp = async () =>
    expect((await fetch(`${server.origin}/api/v1/health`)).status).toBe(200);
  const clients = Array.from({ length: CLIENTS }, () => openRaw(server.origin, text));
  await Promise.all(clients.map(({ socket }) => once(socket, 'connect')));
  while (gates.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await caughtUp();
  // A reset, because a client that only ends its side may still wait for the answer.
  for (const { socket } of clients) socket.resetAndDestroy();
  await caughtUp();
  isOpen = true;
  for (const answer of gates) answer();
  const last = openRaw(server.origin, text);
  await last.until(({ answers }) => answers().length === 1);
  expect(last.answers()[0]?.status).toBe(201);
  last.socket.destroy();
  const mine = { headers: { Authorization: 'Bearer token' } };
  const { data } = await (await fetch(server.origin + CUSTOMERS, mine)).json();
  // None of those that had gone was made.
  expect(data).toHaveLength(1);
  await stub.close();
});
