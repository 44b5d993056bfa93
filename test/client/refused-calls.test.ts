// What the client does when the real service refuses, on every host.

import { ApiError, createClient } from 'service-management-api/client';
import { expect, it } from 'vitest';
import { type Caller, onEveryHost } from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';
import { serviceFetch } from '../support/service-fetch.js';

const BASE_URL = 'http://localhost/api/v1';

onEveryHost('The client of a service that refuses', (service) => {
  const clientOf = ({ subject }: Pick<Caller, 'subject'>, more = {}) =>
    createClient({
      baseUrl: BASE_URL,
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
    [
      'a function whose next one is refused, too',
      (old?: string) => `${old} expired`.replaceAll(' ', '-'),
      2,
    ],
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

  it.each([
    ['customers', { name: '' }, { name: 'empty', phone: 'missing' }],
    ['services', { name: 1, price: -0.5 }, { name: 'not_text', price: 'not_positive' }],
    ['services', { name: null, price: 1e-300 - 1 }, { name: 'not_text', price: 'not_positive' }],
    ['orders', { amount: '' }, { customer: 'missing', service: 'missing', amount: 'not_a_number' }],
    ['orders', { customer: 'A', service: 'B', amount: null }, { amount: 'not_a_number' }],
    [
      'expenses',
      { description: {}, date: [], amount: 0 },
      { description: 'not_text', category: 'missing', date: 'not_text', amount: 'not_positive' },
    ],
  ] as const)('tells why fields of %s are wrong: %j', async (name, body, reasons) => {
    const { [name]: records } = clientOf(service.account());
    const { fields, message, code } = await validationError(records.create(body as never));
    expect(code).toBe('VALIDATION_FAILED');
    expect(fields).toEqual(
      Object.fromEntries(
        Object.entries(reasons).map(([field, reason]) => [
          field,
          { reason, message: expect.any(String) },
        ]),
      ),
    );
    for (const [field, problem] of Object.entries(fields)) {
      expect(problem.message).toMatch(/^is .*; it must be /);
      expect(message).toContain(`${field} ${problem.message}`);
    }
  });

  it('says NaN of a number whose JSON is null', async () => {
    const { orders } = clientOf(service.account());
    const order = { customer: 'A', service: 'B', amount: Number('five') };
    const problem = { reason: 'not_a_number', message: 'is NaN; it must be a number above 0' };
    expect((await validationError(orders.create(order))).fields).toEqual({ amount: problem });
    const { id } = await orders.create({ ...order, amount: 5 });
    const changed = orders.update(id, { amount: 1 / 0 });
    expect((await validationError(changed)).fields['amount']?.message).toMatch(/^is Infinity; /);
  });

  it('throws an ApiError with code, status and the request id of the log', async () => {
    const answers: Response[] = [];
    const send = serviceFetch(service);
    const { customers } = clientOf(service.account(), {
      fetch: async (url: string, init: RequestInit) => {
        const response = await send(url, init);
        answers.push(response);
        return response;
      },
    });
    const refused = customers.create({ name: '', phone: '1' });
    await expect(refused).rejects.toMatchObject({
      name: 'ApiError',
      code: 'VALIDATION_FAILED',
      status: 422,
      message: expect.stringContaining('name'),
    });
    const requestId = answers[0]?.headers.get('x-request-id');
    await expect(refused).rejects.toHaveProperty('requestId', requestId);
  });
});

async function validationError(call: Promise<unknown>) {
  const error = await call.catch((reason: unknown) => reason);
  if (!(error instanceof ApiError && error.code === 'VALIDATION_FAILED')) throw error;
  return error;
}
