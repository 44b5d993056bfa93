// Contract, "Authentication", data endpoints, and "Limits": what the user-information endpoint's
// answer makes of a token, how much of it is read, and what the log says.

import { describe, expect, it } from 'vitest';
import { userinfoIdentity } from '../../src/core/identity/sign-in.js';
import { type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { answer, askOnce } from '../support/userinfo-exchange.js';

const INVALID = { status: 'invalid' };
const UNAVAILABLE = { status: 'unavailable' };
const HTML = '<!doctype html><title>Error</title><p>No.';
const BAD_UTF_8 = Buffer.from('{"sub":"\xe9"}', 'latin1');
const LIMIT_BYTES = 65_536;
const identified = (subject: string) => ({ status: 'identified', subject });
const reasonOf = ({ lines: [line] }: Awaited<ReturnType<typeof askOnce>>) => line?.fields['reason'];

describe('A usable answer', () => {
  it.each([
    ['{"email":"a@b.example","sub":"auth0|1","aud":[1]}', 'sub', 'auth0|1'],
    ['{"sub":" a b "}', 'sub', ' a b '],
    ['{"sub":"Zoë 林 🌍"}', 'sub', 'Zoë 林 🌍'],
    ['{"sub":"\\ud83c\\udf0d"}', 'sub', '🌍'],
    ['{"id":"u","sub":"other"}', 'id', 'u'],
    ['{"data":{"user":{"id":"deep"}}}', 'data.user.id', 'deep'],
    ['{"https://x.example/uid":"u"}', '/https:~1~1x.example~1uid', 'u'],
    ['{"a~b":{"c":"u"}}', '/a~0b/c', 'u'],
    ['{"sub":42}', 'sub', '42'],
    ['{"sub":0}', 'sub', '0'],
    ['{"sub":-7}', 'sub', '-7'],
    [`{"sub":"${'é'.repeat(512)}"}`, 'sub', 'é'.repeat(512)],
    ['{"sub":9007199254740991}', 'sub', '9007199254740991'],
    ['{"constructor":{"name":"own"}}', 'constructor.name', 'own'],
    ['{"sub":"a","sub":"b"}', 'sub', 'b'],
    ['{"sub":"u","status":"error","error":"of the last payment"}', 'sub', 'u'],
  ])('names the account: %s', async (body, subjectField, subject) => {
    const { identity, lines } = await askOnce(answer(200, body), { options: { subjectField } });
    expect([identity, lines]).toEqual([identified(subject), []]);
  });

  it.each([200, 201, 203, 299])('may have status %i, and any media type', async (status) => {
    const type = { 'Content-Type': 'text/html' };
    const { identity } = await askOnce(answer(status, { sub: 'user-1' }, type));
    expect(identity).toEqual(identified('user-1'));
  });

  it('may be 64 KiB long, in one piece or many', async () => {
    for (const behaviour of [
      answer(200, userinfoOf(LIMIT_BYTES)),
      inChunks(userinfoOf(LIMIT_BYTES)),
    ])
      expect((await askOnce(behaviour)).identity).toEqual(identified('user-1'));
  });

  it('may come in pieces that split a character', async () => {
    const body = Buffer.from(JSON.stringify({ sub: 'Zoë' }));
    const cut = body.indexOf(0xc3) + 1;
    const { identity } = await askOnce((_token, response) => {
      response.write(body.subarray(0, cut), () => {
        setImmediate(() => response.end(body.subarray(cut)));
      });
    });
    expect(identity).toEqual(identified('Zoë'));
  });
});

describe('An answer that leaves the token undecided', () => {
  const texts = String.raw`{} {"sub":null} {"sub":""} {"sub":true} {"sub":["user-1"]}
    {"sub":{"id":"user-1"}} {"sub":9007199254740993} {"sub":1.5} {"sub":1e999} {"sub":"a\nb"}
    {"sub":"a\u0000b"} {"sub":"a\u007fb"} {"sub":"a\u0085b"} {"sub":"a\ud800"} {"sub":"\udc00b"}
    {"active":true} {"error":"","id":1} {"error":null,"id":1} {"error":{}} {"error":0}
    {"status":"ok"} true 0 [{"sub":"user-1"}] "user-1"`;
  it.each(texts.split(/\s+/))('names no usable subject: %s', async (body) => {
    const asked = await askOnce(answer(200, body));
    expect(asked.identity).toEqual(UNAVAILABLE);
    expect(reasonOf(asked)).toBe('an answer without a usable subject');
  });

  it.each([
    ['constructor.name', {}],
    ['sub.length', { sub: 'user-1' }],
    ['users.0.id', { users: [{ id: 'user-1' }] }],
    ['data.id', { data: null }],
    ['data', { data: { id: 'user-1' } }],
  ])('has nothing usable at %s', async (subjectField, body) => {
    const { identity } = await askOnce(answer(200, body), { options: { subjectField } });
    expect(identity).toEqual(UNAVAILABLE);
  });

  it.each([
    ['an empty body', answer(200, ''), 'an answer that is not JSON'],
    ['no content', answer(204), 'an answer that is not JSON'],
    ['two values', answer(200, '{"sub":"user-1"}{}'), 'an answer that is not JSON'],
    ['HTML', answer(200, HTML), 'an answer that is not JSON'],
    ['a signed token', answer(200, 'e30.eyJzdWIiOiIxIn0.'), 'an answer that is not JSON'],
    // Decoded leniently, every account with such a byte would become the same account.
    ['bad UTF-8', answer(200, BAD_UTF_8), 'an answer that is not JSON'],
    ['1,025 bytes', answer(200, { sub: `${'é'.repeat(512)}x` }), 'a subject over 1024 bytes'],
    ['64 KiB and one byte', answer(200, userinfoOf(LIMIT_BYTES + 1)), 'an answer over 65536 bytes'],
    ['the same in chunks', inChunks(userinfoOf(LIMIT_BYTES + 1)), 'an answer over 65536 bytes'],
    ['a broken connection', (_: string, response) => response.destroy(), 'ECONNRESET'],
  ] as [string, Behaviour, string][])('is unusable: %s', async (_name, behaviour, reason) => {
    const asked = await askOnce(behaviour);
    expect([asked.identity, reasonOf(asked)]).toEqual([UNAVAILABLE, reason]);
  });

  it.each([402, 404, 405, 407, 409, 429, 500, 502, 503, 504])('has status %i', async (status) => {
    const asked = await askOnce(answer(status, { sub: 'user-1' }));
    expect([asked.identity, asked.questions]).toEqual([UNAVAILABLE, 1]);
    expect(reasonOf(asked)).toBe(`status ${status}`);
  });

  it.each([301, 302, 303, 307, 308])('is a redirect, which is not followed: %i', async (status) => {
    await using target = await openIdentityStub(answer(200, { sub: 'user-1' }));
    const asked = await askOnce(answer(status, { sub: 'user-1' }, { Location: target.url }));
    expect([asked.identity, reasonOf(asked)]).toEqual([UNAVAILABLE, `status ${status}`]);
    expect(target.asked).toEqual([]);
  });
});

describe('A refusal by the provider', () => {
  const bodies = ['{"error":"invalid_token"}', HTML, '', ' '.repeat(1_000_000), '{"sub":"user-1"}'];
  it.each([400, 401, 403])('makes the token invalid, with any body: %i', async (status) => {
    for (const body of [...bodies, Buffer.from([0xe9, 0xff])]) {
      expect((await askOnce(answer(status, body))).identity).toEqual(INVALID);
    }
  });

  const texts = `null false {"active":false} {"error":"invalid_token"} {"error":{"code":401}}
    {"error":true} {"error":["x"]} {"status":"error","sub":""}`;
  it.each(texts.split(/\s+/))('may be a 2xx that says no: %s', async (body) => {
    expect((await askOnce(answer(200, body))).identity).toEqual(INVALID);
  });
});

describe('The question', () => {
  async function questionOf(options: Parameters<typeof askOnce>[1] = {}) {
    const seen: unknown[] = [];
    await askOnce((_token, response, { method, url, headers }) => {
      const { authorization, accept, apikey } = headers;
      seen.push({ method, url, authorization, accept, apikey });
      response.end('{"sub":"user-1"}');
    }, options);
    expect(seen).toHaveLength(1);
    return seen[0];
  }
  const plain = { method: 'GET', url: '/userinfo', authorization: 'Bearer a-token' };

  it('carries the token, and what the settings say', async () => {
    expect(await questionOf()).toEqual({ ...plain, accept: 'application/json' });
    expect(await questionOf({ options: { method: 'POST' } })).toMatchObject({ method: 'POST' });
    const headers = { apikey: 'the-key', Accept: 'application/vnd.x+json' };
    const extra = { apikey: 'the-key', accept: 'application/vnd.x+json' };
    expect(await questionOf({ options: { headers } })).toEqual({ ...plain, ...extra });
    // Beside an extra header of the same name, in any case.
    for (const name of ['authorization', 'AUTHORIZATION']) {
      expect(await questionOf({ options: { headers: { [name]: 'x' } } })).toMatchObject(plain);
    }
  });

  it('is not sent where the path to the subject can match nothing', () => {
    const open = () => userinfoIdentity({ url: 'https://id.example', subjectField: 'a..b' });
    expect(open).toThrow(/subjectField is "a\.\.b"; it must be a dotted path or a JSON Pointer/);
  });
});

it('Checks that are over leave no timer behind', async () => {
  await using stub = await openIdentityStub(answer(200, { sub: 'user-1' }));
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const provider = userinfoIdentity({ url: stub.url });
  await Promise.all(Array.from({ length: 50 }, (_, i) => provider.identify(`token-${i}`)));
  // The HTTP client keeps a few for its connections; 50 checks may not have 50.
  expect(timers() - before).toBeLessThan(25);
});

/** User information of exactly this many bytes. */
function userinfoOf(bytes: number): string {
  const start = '{"sub":"user-1","about":"';
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
}

function inChunks(body: string): Behaviour {
  return (_token, response) => {
    for (let at = 0; at < body.length; at += 1_000) response.write(body.slice(at, at + 1_000));
    response.end();
  };
}
