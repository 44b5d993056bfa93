// The operator's client against the real service, on every host.

import { ApiError } from 'service-management-api/client';
import { createOperatorClient } from 'service-management-api/operator-client';
import { expect, it } from 'vitest';
import { ADMIN_KEY, onEveryHost, serviceFetch } from '../support/contract.js';

onEveryHost("The operator's client", (service) => {
  const operator = (adminKey = ADMIN_KEY) =>
    createOperatorClient({
      baseUrl: 'http://localhost/api/v1',
      adminKey,
      fetch: serviceFetch(service),
    });

  it("changes an account's records and reads its own audit events", async () => {
    const { subject } = service.account('auth0|a/b é');
    const { customers } = operator().recordsOf(subject);
    const created = await customers.create({ name: 'Neema', phone: '1' });
    expect(created.owner_sub).toBe(subject);
    const changed = await customers.update(created.id, { phone: '2' });
    expect(await customers.read(created.id)).toEqual(changed);
    expect((await customers.list({ q: 'neema' })).items).toEqual([changed]);
    await customers.delete(created.id);
    const events = [];
    for await (const event of operator().audit.all({ page_size: 2 })) events.push(event);
    expect(events.map(({ action, changed: names }) => [action, names])).toEqual([
      ['delete', []],
      ['update', ['phone']],
      ['create', ['name', 'phone']],
    ]);
    expect((await operator().audit.list({ page_size: 1 })).pagination.total).toBe(3);
  });

  it.each(['.', '..', '~..'])('opens the account %s, which no URL can spell', async (subject) => {
    const { team } = operator().recordsOf(subject);
    const created = await team.create({ name: 'Neema', phone: '1' });
    expect(created.owner_sub).toBe(subject);
    expect((await operator().accounts.read(subject)).owner_sub).toBe(subject);
    await team.delete(created.id);
  });

  it('lists and reads the accounts and the views, and throws the same ApiError as the other client', async () => {
    const { accounts, recordsOf, overview, usage, health } = operator();
    const { businesses } = recordsOf('zawadi');
    const business = await businesses.create({ businessName: 'Zawadi Tailoring' });
    const row = { owner_sub: 'zawadi', record_count: 1 };
    expect((await accounts.list({ q: 'zawadi tail' })).items).toMatchObject([row]);
    const subjects = [];
    for await (const { owner_sub } of accounts.all({ page_size: 1 })) subjects.push(owner_sub);
    expect(subjects).toEqual(['local-preview', 'zawadi']);
    expect((await accounts.read('zawadi')).profiles).toEqual([business]);
    expect((await overview()).record_count).toBe((await usage()).record_count);
    expect(await health()).toMatchObject({ status: 'ok', database: 'ok' });
    const error = await operator('wrong')
      .overview()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
  });
});
