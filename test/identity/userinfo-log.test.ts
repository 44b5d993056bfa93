// Contract, "Authentication": what the log says of a provider that refuses or
// fails (why, and never the token), and how often.

import { describe, expect, it } from 'vitest';
import { userinfoIdentity } from '../../src/core/identity/sign-in.js';
import type { Behaviour } from '../support/identity-stub.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { keptLog } from '../support/kept-log.js';
import { answer, askOnce } from '../support/userinfo-exchange.js';

/** Letters only, so that it passes for an error code; the case changes, as some providers change it. */
const TOKEN = 'SecretOfTheCaller';

describe('The log', () => {
  it.each<[string, Behaviour, string]>([
    ['the status', answer(503, 'x'), 'status 503'],
    ['a redirect', answer(302, '', { Location: 'https://elsewhere.example' }), 'status 302'],
    ['an answer too large', answer(200, ' '.repeat(65_537)), 'an answer over 65536 bytes'],
    ['an answer that is not JSON', answer(200, '<html>'), 'an answer that is not JSON'],
    ['an answer without content', answer(204), 'an answer that is not JSON'],
    ['a broken connection', (_token, response) => response.destroy(), 'ECONNRESET'],
  ])('says why a token was left undecided: %s', async (_name, behaviour, reason) => {
    const { lines } = await askOnce(behaviour);
    expect(lines).toEqual([
      { level: 'warn', event: 'identity_provider_unavailable', fields: { reason } },
    ]);
  });

  it('says that a subject is too long, without the subject', async () => {
    const { lines } = await askOnce(answer(200, { sub: 'canary'.repeat(200) }));
    expect(lines.map(({ fields }) => fields)).toEqual([
      { reason: 'a subject over 1024 bytes', field: 'sub', members: 'sub' },
    ]);
  });

  it("names the place of the subject and the answer's members, without a value", async () => {
    const body = { id: 'canary', user: { sub: 'canary' }, 'https://x.example/uid': 'canary' };
    const { lines } = await askOnce(answer(200, body), { options: { subjectField: 'sub' } });
    expect(lines.map(({ fields }) => fields)).toEqual([
      {
        reason: 'an answer without a usable subject',
        field: 'sub',
        members: 'id, user, https://x.example/uid',
      },
    ]);
  });

  it('names a short member though the token has the same letters in a row', async () => {
    const { lines } = await askOnce(answer(200, { uid: 1 }), { token: 'a-guid-token' });
    expect(lines[0]?.fields).toMatchObject({ members: 'uid' });
  });

  it.each([
    ['a signed answer', 'application/jwt', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln'],
    ['a page', 'text/html; charset=utf-8', '<html>'],
    ['a type in capitals', 'TEXT/HTML', '<html>'],
  ])('names the media type that came instead of JSON: %s', async (_name, type, body) => {
    const { lines } = await askOnce(answer(200, body, { 'Content-Type': type }));
    const content_type = type.split(';')[0]?.toLowerCase();
    expect(lines[0]?.fields).toEqual({ reason: 'an answer that is not JSON', content_type });
  });

  it.each([
    [
      'Bearer realm="x", error="invalid_token", error_description="Token is canary"',
      'invalid_token',
    ],
    ['Bearer error=insufficient_scope', 'insufficient_scope'],
    ['Bearer realm="x",error="invalid_request"', 'invalid_request'],
    ['Bearer error="canary"', null],
    ['Bearer realm="x",error = "INVALID_REQUEST"', 'invalid_request'],
    ['Bearer my_error="invalid_token"', null],
    ['Bearer terror="invalid_token"', null],
    ['Bearer', null],
  ])("repeats the challenge's error when RFC 6750 defines it: %s", async (challenge, reason) => {
    const { lines } = await askOnce(answer(401, '', { 'WWW-Authenticate': challenge }));
    expect(lines.map(({ fields }) => fields)).toEqual([{ status: 401, reason }]);
  });

  it('says why a token was left undecided: no server listens', async () => {
    const log = keptLog();
    const stub = await openIdentityStub();
    await stub.close();
    await userinfoIdentity({ url: stub.url, log }).identify(TOKEN);
    expect(log.lines.map(({ fields }) => fields['reason'])).toEqual(['ECONNREFUSED']);
  });

  it.each<[string, unknown, string | null]>([
    ["RFC 6750's error", { error: 'insufficient_scope' }, 'insufficient_scope'],
    ["Supabase's error_code", { code: 403, error_code: 'bad_jwt', msg: 'x' }, 'bad_jwt'],
    ['a code', { code: 'token_expired' }, 'token_expired'],
    ['a sentence', { error: 'the token is not good' }, null],
    ['a number', { code: 403 }, null],
    ['a code of unlikely length', { error: 'x'.repeat(41) }, null],
    ['an object', { error: { code: 'invalid_token' } }, null],
    ['no JSON', 'Forbidden', null],
    ['nothing', '', null],
  ])("repeats the provider's error code where it is one: %s", async (_name, body, reason) => {
    const { lines } = await askOnce(answer(403, body));
    expect(lines).toEqual([
      { level: 'warn', event: 'identity_provider_refused', fields: { status: 403, reason } },
    ]);
  });

  it('writes no line for a good token', async () => {
    const { lines } = await askOnce(answer(200, { sub: 'user-1' }));
    expect(lines).toEqual([]);
  });
});

describe('The log never holds the token', () => {
  it.each<[string, Behaviour]>([
    ['as its error code', answer(401, { error: TOKEN })],
    ['as the error code of another case', answer(401, { error: TOKEN.toUpperCase() })],
    ['as a part of its error code', answer(401, { error_code: `invalid_${TOKEN}` })],
    ['as a part of the code in another case', answer(401, { code: `bad_${TOKEN.toLowerCase()}_` })],
    ['cut short as its error code', answer(401, { error: TOKEN.slice(0, 8) })],
    ['cut short in its error code', answer(401, { error: `bad_${TOKEN.slice(0, 8)}` })],
    ['in its message', answer(401, { error: 'invalid_token', error_description: `bad ${TOKEN}` })],
    ['in a text', answer(403, `the token ${TOKEN} is bad`)],
    ['in a redirect', answer(302, '', { Location: `https://elsewhere.example/?t=${TOKEN}` })],
    ['as the name of a member', answer(200, { [TOKEN]: 1, [`x.${TOKEN.slice(0, 8)}`]: 1 })],
    ['as its media type', answer(200, '', { 'Content-Type': `text/${TOKEN}` })],
    ['in its challenge', answer(401, '', { 'WWW-Authenticate': `Bearer error="${TOKEN}"` })],
    ['as an unusable subject', answer(200, { sub: `${TOKEN}\n` })],
    ['in a failure', answer(500, { error: TOKEN })],
  ])('though the provider repeats it %s', async (_name, behaviour) => {
    const { lines } = await askOnce(behaviour, { token: TOKEN });
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines).toLowerCase()).not.toContain(TOKEN.slice(0, 8).toLowerCase());
  });

  it('although the request refuses it and quotes it in the error', async () => {
    const { identity, questions, lines } = await askOnce(answer(200, { sub: 'user-1' }), {
      token: `${TOKEN}\nX-Injected: yes`,
    });
    expect(identity).toEqual({ status: 'unavailable' });
    expect(questions).toBe(0);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(TOKEN);
  });

  it('although a network error quotes the request', async () => {
    const quoting = () =>
      Promise.reject(
        new TypeError(`fetch failed: ${TOKEN}`, { cause: new Error(`Bearer ${TOKEN}`) }),
      );
    const { lines } = await askOnce(answer(200), { token: TOKEN, options: { fetch: quoting } });
    expect(lines.map(({ fields }) => fields)).toEqual([{ reason: 'TypeError' }]);
  });
});

describe('A provider that fails again and again', () => {
  const MINUTE_MS = 60_000;

  async function reporting(
    ask: (identify: () => Promise<unknown>, clock: { now: number }) => Promise<void>,
    behaviour: Behaviour = answer(503),
  ) {
    const stub = await openIdentityStub(behaviour);
    const log = keptLog();
    const clock = { now: 1_000_000 };
    const provider = userinfoIdentity({ url: stub.url, log, clock: () => clock.now });
    try {
      await ask(async () => provider.identify(TOKEN), clock);
      return log.lines.map(({ fields }) => fields);
    } finally {
      await stub.close();
    }
  }

  it('is reported once a minute, with the number of suppressed reports', async () => {
    const reports = await reporting(async (identify, clock) => {
      for (let i = 0; i < 5; i++) await identify();
      clock.now += MINUTE_MS - 1;
      await identify();
      clock.now += 1;
      await identify();
      clock.now += MINUTE_MS;
      await identify();
    });
    const reason = 'status 503';
    expect(reports).toEqual([{ reason }, { reason, suppressed: 5 }, { reason }]);
  });

  it('is reported at once when it fails in another way', async () => {
    let status = 500;
    const reports = await reporting(
      async (identify) => {
        for (status of [500, 503, 500, 403]) await identify();
      },
      (token, response, request) => answer(status)(token, response, request),
    );
    expect(reports).toEqual([
      { reason: 'status 500' },
      { reason: 'status 503' },
      // It is available again.
      {},
      { status: 403, reason: null },
    ]);
  });

  it('is reported although the clock was set back', async () => {
    const reports = await reporting(async (identify, clock) => {
      await identify();
      clock.now -= 60 * MINUTE_MS;
      await identify();
      await identify();
    });
    expect(reports).toHaveLength(2);
  });
});
