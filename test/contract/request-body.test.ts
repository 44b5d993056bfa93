// Contract, "Request body rules (POST/PATCH)": exactly one JSON object, at most
// 1 MiB; everything else is 400 INVALID_JSON and changes nothing.

import { gzipSync } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import {
  type Caller,
  type ContractService,
  describeContract,
  expectError,
  type JsonRecord,
  type Reply,
} from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';

const MAX_BYTES = 1_048_576;
const MAX_LEVELS = 512;

/** Bodies that create and PATCH refuse. */
const REFUSED: readonly (readonly [title: string, body: string | Uint8Array])[] = [
  ['one byte over 1 MiB', bodyOfBytes(MAX_BYTES + 1)],
  ['one byte over 1 MiB, of white space', `${bodyOfBytes(MAX_BYTES)} `],
  ['half as many characters, of two bytes each', `{"note":"${'é'.repeat(MAX_BYTES / 2)}"}`],
  ['empty', ''],
  ['only white space', ' \r\n\t '],
  ['Latin-1', bytes('{"note":"caf', 0xe9, '"}')],
  ['a surrogate in UTF-8', bytes('{"note":"', 0xed, 0xa0, 0x80, '"}')],
  ['a character cut in two', bytes('{"note":"x"}', 0xf0, 0x9f)],
  ['a byte order mark', bytes(0xef, 0xbb, 0xbf, '{}')],
  ['UTF-16', new Uint8Array(Buffer.from('{"note":"x"}', 'utf16le'))],
  ['gzip', new Uint8Array(gzipSync('{"note":"x"}'))],
  ['a second object', '{"note":1}{"note":2}'],
  ['a second value', '{} null'],
  ['a NUL after the object', '{}\0'],
  ['an array', '[]'],
  ['null', 'null'],
  ['form data', 'note=x&phone=y'],
  ['an object cut short', '{"note":"x"'],
  ['a trailing comma', '{"note":1,}'],
  ['513 levels of objects', `${'{"a":'.repeat(MAX_LEVELS)}{}${'}'.repeat(MAX_LEVELS)}`],
  ['513 levels of arrays', `{"a":${arrays(MAX_LEVELS)}}`],
  ['513 levels after a text that ends in a backslash', `{"a":"\\\\","b":${arrays(MAX_LEVELS)}}`],
  ['brackets that are never closed', `{"a":${'['.repeat(1_000_000)}`],
  ['1e309', '{"note":1e309}'],
  ['1e309 under __proto__', '{"__proto__":{"b":1e309}}'],
];

/** Bodies that pass, and the stored record; without one it is what the body says. */
const ACCEPTED: [title: string, body: string, record?: JsonRecord][] = [
  ['an empty object', '{}'],
  ['exactly 1 MiB', bodyOfBytes(MAX_BYTES)],
  ['512 levels of objects', `${'{"a":'.repeat(MAX_LEVELS - 1)}{}${'}'.repeat(MAX_LEVELS - 1)}`],
  ['512 levels of arrays', `{"a":${arrays(MAX_LEVELS - 1)}}`],
  ['white space around every token', '\r\n\t {\t"a" :\n[ 1 ,2 ]\r} \n', { a: [1, 2] }],
  ['the last of duplicate keys', '{"a":1,"b":0,"a":{"c":1},"a":"last"}', { a: 'last', b: 0 }],
  ['the last of duplicate nested keys', '{"o":{"a":1,"a":2}}', { o: { a: 2 } }],
  ['a duplicate key written as an escape', '{"a":1,"\\u0061":2}', { a: 2 }],
  ['characters of two, three and four bytes', '{"é":"日本😀\u2028"}', { é: '日本😀\u2028' }],
  ['a byte order mark inside a string', '{"a":"\ufeff"}', { a: '\ufeff' }],
  ['brackets after a quote in a string', `{"a":"\\"${'['.repeat(1_000)}"}`],
  [
    'numbers of every form',
    '{"a":[-1,0.5,1E2,1e+2,1e-2,-0.0,1.7976931348623157e308,1e-320,9007199254740991,1e21]}',
    { a: [-1, 0.5, 100, 100, 0.01, 0, 1.7976931348623157e308, 1e-320, 9007199254740991, 1e21] },
  ],
];

describeContract('A create and a PATCH', (service) => {
  let account: Caller;
  beforeEach(() => {
    account = service.account();
  });

  it.each(REFUSED)('refuse %s and store nothing', async (_title, body) => {
    // A business may be any object, so only the rules of the body can refuse it.
    expectInvalidJson(await account.send('POST', '/businesses', { body }));
    expect((await account.get('/businesses')).json.meta.pagination.total).toBe(0);

    const record = await account.create('businesses', { note: 'as it was' });
    const path = `/businesses/${record.id}`;
    expectInvalidJson(await account.send('PATCH', path, { body }));
    expect((await account.get(path)).json.data).toStrictEqual(record);
  });

  it('refuse a request without a body', async () => {
    expectInvalidJson(await account.send('POST', '/businesses'));
    const record = await account.create('businesses', {});
    expectInvalidJson(await account.send('PATCH', `/businesses/${record.id}`));
  });

  it.each(ACCEPTED)('accept %s', async (_title, body, record) => {
    const created = await account.send('POST', '/businesses', { body });
    expect(created.status).toBe(201);
    const { id, owner_sub: _owner, ownerSub: _mirror, ...stored } = created.json.data;
    expect(stored).toStrictEqual(record ?? JSON.parse(body));
    const plain = await account.create('businesses', {});
    const patched = await account.send('PATCH', `/businesses/${plain.id}`, { body });
    expect(patched.status).toBe(200);
    expect(patched.json.data).toStrictEqual({ ...created.json.data, id: plain.id });
    expect(id).not.toBe(plain.id);
  });

  it('count the bytes of a streamed body without Content-Length', async () => {
    const sent = await inPieces(service, account, bodyOfBytes(MAX_BYTES));
    expect(sent.status).toBe(201);
    const refused = await inPieces(service, account, bodyOfBytes(MAX_BYTES + 1));
    expect(refused.status).toBe(400);
    expect((await account.get('/businesses?page_size=1')).json.meta.pagination.total).toBe(1);
  });

  it('read a character whose bytes are split across chunks', async () => {
    const reply = await inPieces(service, account, '{"note":"é日😀"}', 1);
    expect(reply.status).toBe(201);
    expect(await reply.json()).toMatchObject({ data: { note: 'é日😀' } });
  });

  it.each([
    'application/json',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'no type',
    '',
  ])('ignore the Content-Type %j', async (type) => {
    const headers = { 'Content-Type': type };
    const body = '{"note":"é"}';
    const taken = await account.send('POST', '/businesses', { headers, body });
    expect(taken.status).toBe(201);
    expect(taken.json.data['note']).toBe('é');
    const form = { headers, body: 'note=x' };
    expectInvalidJson(await account.send('POST', '/businesses', form));
    const path = `/businesses/${taken.json.data.id}`;
    expectInvalidJson(await account.send('PATCH', path, form));
  });

  it('check for valid JSON before required properties', async () => {
    expectInvalidJson(await account.send('POST', '/orders', { body: '{"amount":1e309}' }));
    expect((await account.post('/orders', {})).status).toBe(422);
  });

  it('check for valid JSON before looking up the record of a PATCH', async () => {
    const { id } = await service.account().create('businesses', {});
    for (const path of [`/businesses/${id}`, '/businesses/BIZ-9999999']) {
      expectInvalidJson(await account.send('PATCH', path, { body: '{"note":' }));
      expectError(await account.patch(path, {}), 404, 'NOT_FOUND');
    }
  });
});

function expectInvalidJson(reply: Reply): void {
  expectError(reply, 400, 'INVALID_JSON');
}

/** Creates a business from a streamed body without Content-Length, in pieces of `pieceBytes`. */
function inPieces(
  service: ContractService,
  account: Caller,
  text: string,
  pieceBytes = 65_536,
): Promise<Response> {
  const whole = new TextEncoder().encode(text);
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent >= whole.length) return controller.close();
      controller.enqueue(whole.slice(sent, sent + pieceBytes));
      sent += pieceBytes;
    },
  });
  return service.fetch('/api/v1/businesses', {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokenOf(account.subject)}` },
    body,
    duplex: 'half',
  } as RequestInit);
}

/** A body of exactly this many bytes: an object with one long text. */
function bodyOfBytes(length: number): string {
  return `{"note":"${'x'.repeat(length - '{"note":""}'.length)}"}`;
}

function bytes(...parts: readonly (string | number)[]): Uint8Array {
  return new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))),
    ),
  );
}

/** Arrays nested to this many levels. */
function arrays(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}
