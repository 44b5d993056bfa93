// Contract, "Response envelope", "Errors" and "Common headers": the form of every
// answer, on all routes.

import { describe, expect, it } from 'vitest';
import {
  type ContractService,
  describeContract,
  type Reply,
  replyOf,
} from '../support/contract.js';

interface Kind {
  readonly name: string;
  readonly status: number;
  /** Of a failure. */
  readonly code?: string;
  readonly ask: (service: ContractService, headers: Record<string, string>) => Promise<Reply>;
}

/** `é £` in UTF-8, with one character for each byte. */
const UTF8_BYTES = 'Ã© Â£';
const CUSTOMER = { name: 'Neema Mushi', phone: '+255 713 445 210' };

function asAccount(name: string, status: number, method: string, path: string, body?: unknown) {
  const ask: Kind['ask'] = (service, headers) =>
    service.account().send(method, path, { headers, ...(body !== undefined && { body }) });
  return { name, status, ask };
}

function onOwnRecord(name: string, status: number, method: string, body?: unknown) {
  const ask: Kind['ask'] = async (service, headers) => {
    const account = service.account();
    const { id } = await account.create('customers', CUSTOMER);
    const options = { headers, ...(body !== undefined && { body }) };
    return account.send(method, `/customers/${id}`, options);
  };
  return { name, status, ask };
}

const SUCCESSES: readonly Kind[] = [
  asAccount('health', 200, 'GET', '/health'),
  onOwnRecord('a read', 200, 'GET'),
  onOwnRecord('an update', 200, 'PATCH', { location: 'Mikocheni' }),
  onOwnRecord('a deletion', 200, 'DELETE'),
  asAccount('a create', 201, 'POST', '/customers', CUSTOMER),
];

const LISTS: readonly Kind[] = [
  asAccount('an empty list', 200, 'GET', '/customers'),
  asAccount('an empty payments view', 200, 'GET', '/payments'),
  {
    name: 'a list with a record',
    status: 200,
    ask: async (service, headers) => {
      const account = service.account();
      await account.create('customers', CUSTOMER);
      return account.send('GET', '/customers', { headers });
    },
  },
];

const FAILURES: readonly Kind[] = [
  { ...asAccount('a malformed body', 400, 'POST', '/customers', '{'), code: 'INVALID_JSON' },
  {
    name: 'a missing token',
    status: 401,
    code: 'UNAUTHORIZED',
    ask: (service, headers) => service.anonymous.send('GET', '/customers', { headers }),
  },
  {
    name: 'a missing admin key',
    status: 401,
    code: 'UNAUTHORIZED',
    ask: (service, headers) => service.anonymous.send('GET', '/admin/overview', { headers }),
  },
  { ...asAccount('an unknown record', 404, 'GET', '/customers/CUS-9999'), code: 'NOT_FOUND' },
  { ...asAccount('an unknown resource', 404, 'GET', '/invoices'), code: 'NOT_FOUND' },
  {
    name: 'a path outside the prefix',
    status: 404,
    code: 'NOT_FOUND',
    ask: async (service, headers) => replyOf(await service.fetch('/nothing', { headers })),
  },
  { ...asAccount('a wrong method', 405, 'PUT', '/customers'), code: 'METHOD_NOT_ALLOWED' },
  { ...asAccount('a bad record', 422, 'POST', '/customers', {}), code: 'VALIDATION_FAILED' },
];

const EVERY_KIND: readonly Kind[] = [...SUCCESSES, ...LISTS, ...FAILURES];

/** RFC 3339 in UTC, up to nanoseconds. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;
const GENERATED_ID = /^req_[0-9a-f]{16}$/;

describeContract('Envelope', (service) => {
  it.each(EVERY_KIND)(
    '$name answers exactly its members, with the common headers, the time and the request id',
    async (kind) => {
      const before = Date.now();
      const { status, headers, json } = await kind.ask(service, {});
      const after = Date.now();
      expect(status).toBe(kind.status);
      const isList = LISTS.includes(kind);
      expect(Object.keys(json)).toEqual([kind.code ? 'error' : 'data', 'meta']);
      expect(Object.keys(json.meta)).toEqual([
        ...['request_id', 'timestamp'],
        ...(isList ? ['pagination'] : []),
      ]);
      if (isList) {
        const { pagination } = json.meta;
        expect(Object.keys(pagination)).toEqual(['page', 'page_size', 'total', 'total_pages']);
        expect(Object.values(pagination).every(Number.isInteger)).toBe(true);
      }
      if (kind.code) {
        expect(Object.keys(json.error ?? {})).toEqual(['code', 'message']);
        expect(json.error).toMatchObject({ code: kind.code, message: expect.stringMatching(/\w/) });
      } else expect(Array.isArray(json.data)).toBe(isList);
      expect(json.meta.timestamp).toMatch(TIMESTAMP);
      expect(Date.parse(json.meta.timestamp)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(json.meta.timestamp)).toBeLessThanOrEqual(after);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'X-Request-ID',
        'x-request-id': expect.stringMatching(GENERATED_ID),
      });
      expect(headers.get('x-request-id')).toBe(json.meta.request_id);
      const again = await kind.ask(service, { 'X-Request-ID': 'order form/42' });
      expect(again.headers.get('x-request-id')).toBe('order form/42');
      expect(again.json.meta.request_id).toBe('order form/42');
    },
  );
});

describeContract('X-Request-ID', (service, { storage }) => {
  const echo = (value: string) =>
    service.anonymous.send('GET', '/health', { headers: { 'X-Request-ID': value } });

  describe('a non-empty value is echoed unchanged', () => {
    it.each([
      ['spaces and a tab inside', 'two  words and \t more'],
      ['quotes, backslash and braces', '{"a":"\\u0041"}\\'],
      ['commas', 'a, b,c'],
      ['the form of a generated id', 'req_0123456789abcdef'],
      ['1,000 characters', 'x'.repeat(1000)],
      ['every visible ASCII character', visibleCharacters(0x21, 0x7e)],
    ])('%s', async (_name, value) => {
      const { headers, json } = await echo(value);
      expect(headers.get('x-request-id')).toBe(value);
      expect(json.meta.request_id).toBe(value);
    });
  });

  // As a client sees it that reads one character for each byte.
  // Workers take header values as UTF-8.
  describe.skipIf(storage === 'objects')('byte by byte', () => {
    it.each([
      ['every visible ISO-8859-1 character', visibleCharacters(0xa1, 0xff)],
      ['bytes that are UTF-8 for something else', UTF8_BYTES],
    ])('%s', async (_name, value) => {
      const { headers, json } = await echo(value);
      expect(headers.get('x-request-id')).toBe(value);
      expect(json.meta.request_id).toBe(value);
    });

    it('with an answer that is sent in pieces', async () => {
      const account = service.account();
      await account.create('customers', { ...CUSTOMER, note: 'ndizi '.repeat(170_000) });
      const reply = await account.send('GET', '/customers', { headers: { 'X-Request-ID': 'é' } });
      expect(reply.text.length).toBeGreaterThan(1_000_000);
      expect(reply.headers.get('x-request-id')).toBe('é');
      expect(reply.json.meta.request_id).toBe('é');
    });

    it('with an answer without a body', async () => {
      const reply = await service.anonymous.send('HEAD', '/health', {
        headers: { 'X-Request-ID': 'é' },
      });
      expect(reply.headers.get('x-request-id')).toBe('é');
    });
  });

  it('of UTF-8 is echoed in the same bytes', async () => {
    expect((await echo(UTF8_BYTES)).headers.get('x-request-id')).toBe(UTF8_BYTES);
  });

  it.each([
    ['no value', ''],
    ['spaces alone', '   '],
  ])('%s means a generated one', async (_name, value) => {
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
