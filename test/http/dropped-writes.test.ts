// A client closes its connection before the service has decided about the write: the service
// stores nothing.

import { expect, it } from 'vitest';
import { createHandler, openRecords } from '../../src/handler.js';
import { localIdentity, openMemoryStorage } from '../../src/memory.js';

const URL = 'http://localhost/api/v1/businesses';
const headers = { Authorization: 'Bearer local-neema' };

it.each(['the host', "the request's signal"])(
  'A write is dropped when %s says that its client has gone',
  async (source) => {
    const records = await openRecords({ storage: openMemoryStorage() });
    const handler = createHandler({ records, identity: localIdentity() });
    const signal = source === 'the host' ? null : AbortSignal.abort();
    const host = source === 'the host' ? { isDisconnected: () => true } : {};
    const request = new Request(URL, { method: 'POST', headers, body: '{}', signal });
    const response = await handler(request, host);
    const { error } = await response.json();
    expect([response.status, error.code]).toEqual([400, 'BAD_REQUEST']);
    const stored = await handler(new Request(URL, { headers }));
    expect((await stored.json()).data).toEqual([]);
  },
);
