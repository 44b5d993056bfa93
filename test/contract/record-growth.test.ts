// What a record may grow to: a body has its limit ("Request body rules"), and
// many bodies can go into one record.

import { expect, it } from 'vitest';
import { onEveryHost } from '../support/contract.js';

const MEBIBYTE = 1_048_576;

onEveryHost('Growing a record', (service) => {
  it('takes PATCHes up to 2 MiB of JSON, and then refuses one without changing anything', async () => {
    const account = service.account();
    const { id } = await account.create('businesses', {});
    const grow = (part: number) =>
      account.patch(`/businesses/${id}`, { [`part${part}`]: 'x'.repeat(MEBIBYTE - 1_000) });
    for (let part = 1; part <= 2; part++) expect((await grow(part)).status).toBe(200);
    const before = (await account.get(`/businesses/${id}`)).json.data;
    const refused = await grow(3);
    expect(refused.status).toBe(422);
    expect(refused.json.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('it may have 2097152'),
    });
    expect((await account.get(`/businesses/${id}`)).json.data).toEqual(before);
  });

  it('takes any body of a create, whatever its numbers are written out to, and lets it shrink', async () => {
    const account = service.account();
    const numbers = `[${'1e20,'.repeat(209_000)}1]`;
    const reply = await account.post('/businesses', `{"a":1,"numbers":${numbers}}`);
    expect(reply.status).toBe(201);
    expect(reply.text.length).toBeGreaterThan(4 * MEBIBYTE);
    const path = `/businesses/${reply.json.data.id}`;
    expect((await account.patch(path, { a: 2 })).status).toBe(200);
    expect((await account.patch(path, { a: 22 })).status).toBe(422);
    expect((await account.patch(path, { numbers: [] })).status).toBe(200);
  });
});
