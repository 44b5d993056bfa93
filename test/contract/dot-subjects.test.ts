// Subjects that no URL can spell: `.` and `..` are accounts like any other, and
// the operator opens them as `~.` and `~..`.

import { expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { onEveryHost } from '../support/contract.js';

onEveryHost('Accounts that are called like a dot segment', (service) => {
  it.each([
    ['.', '~.'],
    ['..', '~..'],
    ['~..', '~~..'],
    ['~~.', '~~~.'],
    ['...', '...'],
    ['~a', '~a'],
    ['%2E%2E', '%252E%252E'],
  ])('%s is %s in the path of the operator', async (subject, segment) => {
    const { id } = await service.account(subject).create('customers', VALID_BODY.customers);
    const base = `/admin/accounts/${segment}`;
    const account = await service.operator.get(base);
    expect([account.status, account.json.data?.owner_sub]).toEqual([200, subject]);
    const record = await service.operator.patch(`${base}/customers/${id}`, { note: 'seen' });
    expect([record.status, record.json.data?.owner_sub]).toEqual([200, subject]);
    const created = await service.operator.post(`${base}/team`, VALID_BODY.team);
    expect([created.status, created.json.data?.owner_sub]).toEqual([201, subject]);
    const deleted = await service.operator.delete(`${base}/customers/${id}`);
    expect(deleted.status).toBe(200);
  });
});
