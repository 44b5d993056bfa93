// Contract, "Response envelope", "Errors" and "Common headers": the form of every response, on all
// routes.

import { expect, it } from 'vitest';
import { describeContract, expectError } from '../support/contract.js';
import { COMMON_HEADERS } from '../support/raw-http.js';

/** `é £` in UTF-8, with one character for each byte. */
const UTF8_BYTES = 'Ã© Â£';
const CUSTOMER = { name: 'Neema Mushi', phone: '+255 713 445 210' };

/** Requests of an account with one customer, whose id replaces `{id}`. */
const KINDS = [
  ['health', 200, 'data', 'GET', '/health'],
  ['a read', 200, 'data', 'GET', '/customers/{id}'],
  ['an update', 200, 'data', 'PATCH', '/customers/{id}', { location: 'Mikocheni' }],
  ['a deletion', 200, 'data', 'DELETE', '/customers/{id}'],
  ['a create', 201, 'data', 'POST', '/customers', CUSTOMER],
  ['an empty list', 200, 'list', 'GET', '/orders'],
  ['an empty payments view', 200, 'list', 'GET', '/payments'],
  ['a list with a record', 200, 'list', 'GET', '/customers'],
  ['a malformed body', 400, 'INVALID_JSON', 'POST', '/customers', '{'],
  ['a missing admin key', 401, 'UNAUTHORIZED', 'GET', '/admin/overview'],
  ['an unknown record', 404, 'NOT_FOUND', 'GET', '/customers/CUS-9999'],
  ['an unknown resource', 404, 'NOT_FOUND', 'GET', '/invoices'],
  ['a path outside the prefix', 404, 'NOT_FOUND', 'GET', '/../../nothing'],
  ['a wrong method', 405, 'METHOD_NOT_ALLOWED', 'PUT', '/customers'],
  ['a bad record', 422, 'VALIDATION_FAILED', 'POST', '/customers', {}],
] as const;

/** RFC 3339 in UTC, up to nanoseconds. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;
const GENERATED_ID = /^req_[0-9a-f]{16}$/;

describeContract('The response', (service) => {
  it.each(KINDS)(
    'to %s has exactly the envelope’s members, the common headers, the time and the request id',
    async (_name, wanted, kind, method, path, body?: unknown) => {
      const account = service.account();
      const { id } = await account.create('customers', CUSTOMER);
      const ask = (headers = {}) =>
        account.send(method, path.replace('{id}', id), { headers, body });
      const before = Date.now();
      const reply = await ask();
      const after = Date.now();
      const { status, headers, json } = reply;
      const isList = kind === 'list';
      const isError = wanted >= 400;
      if (isError) expectError(reply, wanted, kind);
      expect(status).toBe(wanted);
      expect(Object.keys(json)).toEqual([isError ? 'error' : 'data', 'meta']);
      expect(Object.keys(json.error ?? {})).toEqual(isError ? ['code', 'message'] : []);
      expect(Array.isArray(json.data)).toBe(isList);
      const { request_id, timestamp, pagination = {}, ...more } = json.meta;
      expect([more, Object.keys(json.meta).slice(0, 2)]).toEqual([{}, ['request_id', 'timestamp']]);
      const numbers = ['page', 'page_size', 'total', 'total_pages'];
      expect(Object.keys(pagination)).toEqual(isList ? numbers : []);
      expect(Object.values(pagination).every(Number.isInteger)).toBe(true);
      expect(timestamp).toMatch(TIMESTAMP);
      expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(timestamp)).toBeLessThanOrEqual(after);
      expect(Object.fromEntries(headers)).toMatchObject({
        ...COMMON_HEADERS,
        'x-request-id': expect.stringMatching(GENERATED_ID),
      });
      expect(headers.get('x-request-id')).toBe(request_id);
      const again = await ask({ 'X-Request-ID': 'order form/42' });
      expect(again.headers.get('x-request-id')).toBe('order form/42');
      expect(again.json.meta.request_id).toBe('order form/42');
    },
  );
});

describeContract('X-Request-ID', (service, { storage }) => {
  const echo = (value: string) =>
    service.anonymous.send('GET', '/health', { headers: { 'X-Request-ID': value } });
  /** As seen by a client that reads one character per byte. Workers treat header values as UTF-8. */
  const isByteByByte = storage !== 'objects';

  it.each([
    ['spaces and a tab inside', 'two  words and \t more'],
    ['quotes, backslash and braces', '{"a":"\\u0041"}\\'],
    ['commas', 'a, b,c'],
    ['the form of a generated id', 'req_0123456789abcdef'],
    ['1,000 characters', 'x'.repeat(1000)],
    ['every visible ASCII character', visibleCharacters(0x21, 0x7e)],
    ['bytes of UTF-8', UTF8_BYTES],
    ...(isByteByByte ? [['every ISO-8859-1 character', visibleCharacters(0xa1, 0xff)]] : []),
  ])('of %s is echoed unchanged', async (_name, value = '') => {
    const { headers, json } = await echo(value);
    expect(headers.get('x-request-id')).toBe(value);
    const text = isByteByByte ? value : Buffer.from(value, 'latin1').toString();
    expect(json.meta.request_id).toBe(text);
  });

  it.runIf(isByteByByte)('of é is echoed with a streamed body, and without a body', async () => {
    const account = service.account();
    await account.create('customers', { ...CUSTOMER, note: 'ndizi '.repeat(170_000) });
    const headers = { 'X-Request-ID': 'é' };
    const list = await account.send('GET', '/customers', { headers });
    expect(list.text.length).toBeGreaterThan(1_000_000);
    expect(list.json.meta.request_id).toBe('é');
    const head = await account.send('HEAD', '/health', { headers });
    for (const reply of [list, head]) expect(reply.headers.get('x-request-id')).toBe('é');
  });

  it.each([
    ['no value', ''],
    ['spaces alone', '   '],
  ])('of %s is replaced by a generated one', async (_name, value) => {
    const { headers } = await echo(value);
    expect(headers.get('x-request-id')).toMatch(GENERATED_ID);
  });

  it('is new for every request', async () => {
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => service.anonymous.get('/health')),
    );
    const ids = replies.map((reply) => reply.headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) expect(id).toMatch(GENERATED_ID);
  });
});

function visibleCharacters(from: number, to: number): string {
  return String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, i) => from + i));
}
