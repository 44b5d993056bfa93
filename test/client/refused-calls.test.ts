// What the client does when the real service refuses, on every host. Every reason of a refused
// field is in test/pages/field-errors.test.ts.

import { createClient } from 'service-management-api/client';
import { expect, it } from 'vitest';
import { type Caller, onEveryHost, serviceFetch } from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';

onEveryHost('The client of a service that refuses', (service) => {
  const clientOf = ({ subject }: Pick<Caller, 'subject'>, more = {}) =>
    createClient({
      baseUrl: 'http://localhost/api/v1',
      token: tokenOf(subject),
      fetch: serviceFetch(service),
      ...more,
    });

  it('asks a token function once more for a token that was refused, and sends another one', async () => {
    const { subject } = service.account();
    const refused: (string | undefined)[] = [];
    let fresh = 'expired';
    const token = (given?: string) => {
      refused.push(given);
      if (given !== undefined) fresh = tokenOf(subject);
      return fresh;
    };
    const { customers } = clientOf({ subject: '' }, { token });
    // A create, too: nothing was changed by the refused one.
    await customers.create({ name: 'A', phone: '1' });
    expect(refused).toEqual([undefined, 'expired']);
    expect((await customers.list()).pagination.total).toBe(1);
    expect(refused).toEqual([undefined, 'expired', undefined]);
  });

  it.each([
    ['a text', 'expired', 1],
    ['a function that has no other', () => 'expired', 1],
    ['a function whose next one is refused, too', (old?: string) => `${old ?? ''}-expired`, 2],
  ])('does not ask for ever: the token is %s', async (_, token, requests) => {
    let sent = 0;
    const send = serviceFetch(service);
    const fetch = (url: string, init: RequestInit) => {
      sent++;
      return send(url, init);
    };
    const { customers } = clientOf({ subject: '' }, { token, fetch });
    await expect(customers.list()).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
    expect(sent).toBe(requests);
  });

  it('tells why each field is wrong, of a NaN whose JSON is null, too, with the request id of the log', async () => {
    const ids: (string | null)[] = [];
    const send = serviceFetch(service);
    const { orders } = clientOf(service.account(), {
      fetch: async (url: string, init: RequestInit) => {
        const response = await send(url, init);
        ids.push(response.headers.get('x-request-id'));
        return response;
      },
    });
    const order = { customer: '', service: 'B', amount: Number('five') };
    const error = await orders.create(order).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'VALIDATION_FAILED',
      status: 422,
      message: expect.stringContaining('customer is an empty string'),
      requestId: ids[0],
      fields: {
        customer: { reason: 'empty', message: expect.stringMatching(/^is .*; it must be /) },
        amount: { reason: 'not_a_number', message: 'is NaN; it must be a number above 0' },
      },
    });
    const { id } = await orders.create({ ...order, customer: 'A', amount: 5 });
    await expect(orders.update(id, { amount: 1 / 0 })).rejects.toMatchObject({
      fields: { amount: { message: expect.stringMatching(/^is Infinity; /) } },
    });
  });
});
