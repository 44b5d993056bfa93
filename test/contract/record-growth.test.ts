// The size that a record may reach: a body has its limit ("Request body rules"), but many bodies can
// go into one record, and a number of four characters may be stored as 21.

import { expect, it } from 'vitest';
import { describeContract, expectError, tenantPath } from '../support/contract.js';

const MAX_BYTES = 1_048_576 + 65_536;
const HALF = 'é'.repeat(MAX_BYTES / 4);

describeContract('The size of a record', (service) => {
  it('is at most 1 MiB and 64 KiB of JSON; a larger one is refused and changes nothing', async () => {
    const account = service.account();
    const { id } = await account.create('businesses', { first: HALF });
    const path = `/businesses/${id}`;
    const before = JSON.stringify((await account.get(path)).json.data);
    const room = MAX_BYTES - Buffer.byteLength(before) - ',"second":""'.length;
    const refused = await account.patch(path, { second: 'x'.repeat(room + 1) });
    expectError(refused, 422, 'VALIDATION_FAILED');
    expect(refused.json.error?.message).toBe(
      `the record would have ${MAX_BYTES + 1} bytes of JSON; the limit is ${MAX_BYTES}: split it into several records`,
    );
    const byOperator = tenantPath(account.subject, 'businesses', id);
    const second = 'x'.repeat(room + 1);
    expect((await service.operator.patch(byOperator, { second })).status).toBe(422);
    // The record is the same in memory and, after a restart, from disk.
    for (const look of [async () => {}, () => service.restart()]) {
      await look();
      expect(JSON.stringify((await account.get(path)).json.data) === before).toBe(true);
    }
    expect((await account.patch(path, { second: second.slice(1) })).status).toBe(200);
    expect((await account.patch(path, { first: '', second: '' })).status).toBe(200);
  });

  it('is that of the stored record, not of the body', async () => {
    const account = service.account();
    const body = `{"numbers":[${'1e20,'.repeat(60_000)}1]}`;
    const reply = await account.post('/businesses', body);
    expectError(reply, 422, 'VALIDATION_FAILED');
    const byOperator = tenantPath(account.subject, 'businesses');
    expectError(await service.operator.post(byOperator, body), 422, 'VALIDATION_FAILED');
    expect((await account.get('/businesses')).json.data).toEqual([]);
  });
});
