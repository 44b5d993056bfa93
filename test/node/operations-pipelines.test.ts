// Requests sent one behind the other to the operations port, without waiting for answers.

import { expect, it } from 'vitest';
import { openOperationsPort } from '../../src/hosts/node/operations-port.js';
import { openRaw, requestText } from '../support/raw-http.js';

const REQUESTS = 50;

it('A page is made for one request of a connection at a time', async () => {
  let [underWay, mostUnderWay, made] = [0, 0, 0];
  const page = async () => {
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    made++;
    return { status: 200, type: 'text/plain', text: 'live\n' } as const;
  };
  const pages = new Map([['/live', { method: 'GET', answer: page } as const]]);
  const port = await openOperationsPort({ host: '127.0.0.1', port: 0 }, pages, () => {});
  try {
    const ask = (more: string[] = []) => requestText('GET', '/live', more);
    const text = ask().repeat(REQUESTS - 1) + ask(['Connection: close']);
    const connection = openRaw(port.origin, text);
    await connection.over;
    expect(connection.received().split('live\n')).toHaveLength(REQUESTS + 1);
    expect([made, mostUnderWay]).toEqual([REQUESTS, 1]);
  } finally {
    await port.close();
  }
});
