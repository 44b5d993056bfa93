// Contract, "Authentication", data endpoints, and "Limits": what the user-information endpoint's
// response means for a token, how much of it is read, and what the log says.

import { describe, expect, it } from 'vitest';
import {
  openSignIn,
  type SignInOptions,
  type SignInSettings,
} from '../../src/core/identity/sign-in.js';
import { answer, type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { memoryLog } from '../support/memory-log.js';

const INVALID = { status: 'invalid' };
const UNAVAILABLE = { status: 'unavailable' };
const HTML = '<!doctype html><title>Error</title><p>No.';
const BAD_UTF_8 = Buffer.from('{"sub":"\xe9"}', 'latin1');
const NO_SUBJECT = 'a response without a usable subject; check AUTH_SUBJECT_FIELD';
const LIMIT_BYTES = 65_536;
/** Letters only, so that it passes for an error code. */
const TOKEN = 'SecretOfTheCaller';
const identified = (subject: string) => ({ status: 'identified', subject });

/** `requests`: how many requests came to the endpoint. */
async function askOnce(
  behaviour: Behaviour,
  changes: SignInSettings = {},
  token = 'a-token',
  fetch?: SignInOptions['fetch'],
) {
  await using stub = await openIdentityStub(behaviour);
  const log = memoryLog();
  const settings = { userinfoUrl: stub.url, ...changes };
  const identity = await openSignIn({ settings, log, fetch }).identity.identify(token);
  const [line] = log.lines;
  return { identity, requests: stub.tokens.length, lines: log.lines, line };
}

describe('A usable response', () => {
  it.each([
    ['{"sub":" a b "}', 'sub', ' a b '],
    ['{"sub":"Zoë 林 🌍"}', 'sub', 'Zoë 林 🌍'],
    ['{"data":{"user":{"id":"deep"}}}', 'data.user.id', 'deep'],
    ['{"https://x.example/uid":"u"}', '/https:~1~1x.example~1uid', 'u'],
    ['{"a~b":{"c":"u"}}', '/a~0b/c', 'u'],
    ['{"sub":-7}', 'sub', '-7'],
    [`{"sub":"${'é'.repeat(512)}"}`, 'sub', 'é'.repeat(512)],
    ['{"sub":9007199254740991}', 'sub', '9007199254740991'],
    ['{"constructor":{"name":"own"}}', 'constructor.name', 'own'],
    ['{"sub":"u","status":"error","error":"of the last payment"}', 'sub', 'u'],
  ])('names the account: %s', async (body, subjectField, subject) => {
    const { identity, lines } = await askOnce(answer(200, body), { subjectField });
    expect([identity, lines]).toEqual([identified(subject), []]);
  });

  it('may be 64 KiB long', async () => {
    const { identity } = await askOnce(answer(200, userinfoOf(LIMIT_BYTES)));
    expect(identity).toEqual(identified('user-1'));
  });
});

describe('A response that leaves the token undecided', () => {
  const texts = String.raw`{} {"sub":null} {"sub":""} {"sub":true} {"sub":["user-1"]}
    {"sub":{"id":"user-1"}} {"sub":9007199254740993} {"sub":1.5} {"sub":1e999} {"sub":"a\nb"}
    {"sub":"a\u0000b"} {"sub":"a\u007fb"} {"sub":"a\u0085b"} {"sub":"a\ud800"} {"sub":"\udc00b"}
    {"active":true} {"error":"","id":1} {"error":null,"id":1} {"error":{}} {"error":0}
    {"status":"ok"} true 0 [{"sub":"user-1"}] "user-1"`;
  it.each(texts.split(/\s+/))('names no usable subject: %s', async (body) => {
    const { identity, line } = await askOnce(answer(200, body));
    expect(identity).toEqual(UNAVAILABLE);
    expect(line?.fields['reason']).toBe(NO_SUBJECT);
  });

  const noJson = { reason: 'a response that is not JSON' };
  const tooLong = { reason: 'a subject over 1024 bytes' };
  const tooLarge = { reason: 'a response over 65536 bytes' };
  it.each<[string, Behaviour, object]>([
    ['no content', answer(204, '', {}), noJson],
    // Decoded leniently, every account with such a byte would become the same account.
    ['bad UTF-8', answer(200, BAD_UTF_8, {}), noJson],
    ['HTML', answer(200, HTML, { 'Content-Type': 'text/html' }), noJson],
    ['1,025 bytes', answer(200, { sub: `${'é'.repeat(512)}x` }), tooLong],
    ['64 KiB and one byte', answer(200, userinfoOf(LIMIT_BYTES + 1)), tooLarge],
  ])('is unusable, and the log gives the reason: %s', async (_name, behaviour, fields) => {
    const { identity, lines } = await askOnce(behaviour);
    const event = 'identity_provider_unavailable';
    expect([identity, lines]).toEqual([UNAVAILABLE, [{ level: 'warn', event, fields }]]);
  });

  it.each([301, 307, 404, 429, 500, 503])(
    'has status %i; a redirect is not followed',
    async (status) => {
      await using target = await openIdentityStub(answer(200, { sub: 'user-1' }));
      const found = await askOnce(answer(status, { sub: 'user-1' }, { Location: target.url }));
      expect([found.identity, found.requests, target.tokens]).toEqual([UNAVAILABLE, 1, []]);
      expect(found.line?.fields['reason']).toBe(`status ${status}`);
    },
  );
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
  it.each(texts.split(/\s+/))('may be a 2xx with an error: %s', async (body) => {
    expect((await askOnce(answer(200, body))).identity).toEqual(INVALID);
  });

  it.each<[object, Behaviour]>([
    [{ status: 403, error: 'insufficient_scope' }, answer(403, { error: 'insufficient_scope' })],
    [{ status: 200, error: 'invalid_token' }, answer(200, { error: 'invalid_token' })],
    [{ status: 401 }, answer(401, { error: 'No such token.' })],
    [{ status: 401 }, answer(401, { error: { code: 'expired' } })],
    [{ status: 401 }, answer(401, HTML)],
  ])('is logged with its status and error code: %o', async (fields, behaviour) => {
    const { lines } = await askOnce(behaviour);
    expect(lines).toEqual([{ level: 'warn', event: 'identity_provider_refused', fields }]);
  });
});

describe('The log never holds the token', () => {
  it.each<[string, Behaviour]>([
    ['in lower case', answer(401, { error: `invalid_${TOKEN.toLowerCase()}` })],
    ['in its message', answer(401, { error: 'invalid_token', error_description: `bad ${TOKEN}` })],
    ['as the name of a member', answer(200, { [TOKEN]: 1 })],
    ['as an unusable subject', answer(200, { sub: `${TOKEN}\n` })],
  ])('even if the provider repeats it %s', async (_name, behaviour) => {
    const { lines } = await askOnce(behaviour, {}, TOKEN);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines).toLowerCase()).not.toContain(TOKEN.toLowerCase());
  });

  it('even if the network error quotes it', async () => {
    const cause = new Error(`Bearer ${TOKEN}`);
    const fetch = () => Promise.reject(new TypeError(`fetch failed: ${TOKEN}`, { cause }));
    const failed = await askOnce(answer(200), {}, TOKEN, fetch);
    expect(failed.lines.map(({ fields }) => fields)).toEqual([{ reason: 'TypeError' }]);
  });
});

describe('The request to the provider', () => {
  async function questionOf(settings: SignInSettings = {}) {
    const seen: unknown[] = [];
    await askOnce((_token, response, { method, url, headers }) => {
      const { authorization, accept, apikey } = headers;
      seen.push({ method, url, authorization, accept, apikey });
      response.end('{"sub":"user-1"}');
    }, settings);
    expect(seen).toHaveLength(1);
    return seen[0];
  }
  const plain = { method: 'GET', url: '/userinfo', authorization: 'Bearer a-token' };

  it('has the token and what the settings specify', async () => {
    expect(await questionOf()).toEqual({ ...plain, accept: 'application/json' });
    expect(await questionOf({ method: 'POST' })).toMatchObject({ method: 'POST' });
    const headers = { apikey: 'the-key', Accept: 'application/vnd.x+json' };
    const extra = { apikey: 'the-key', accept: 'application/vnd.x+json' };
    expect(await questionOf({ headers })).toEqual({ ...plain, ...extra });
    // With an extra header of the same name, in any case.
    for (const name of ['authorization', 'AUTHORIZATION']) {
      expect(await questionOf({ headers: { [name]: 'x' } })).toMatchObject(plain);
    }
  });
});

/** User information of exactly this many bytes. */
function userinfoOf(bytes: number): string {
  const start = '{"sub":"user-1","about":"';
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
}
