// Contract, "Authentication": what the log says of a provider that refuses or
// fails (why, and never the token), and how often.

import { describe, expect, it } from 'vitest';
import { userinfoIdentity } from '../../src/core/identity/sign-in.js';
import { type Behaviour, openIdentityStub } from '../support/identity-stub.js';
import { keptLog } from '../support/kept-log.js';
import { answer, askOnce } from '../support/userinfo-exchange.js';

/** Letters only, so that it passes for an error code; the case changes, as some providers change it. */
const TOKEN = 'SecretOfTheCaller';
const CUT = TOKEN.slice(0, 8);
const challenge = (value: string) => answer(401, '', { 'WWW-Authenticate': value });
const ofType = (type: string) => answer(200, '<html>', { 'Content-Type': type });

describe('The log says why', () => {
  const unusable = { reason: 'an answer without a usable subject', field: 'sub' };
  const noJson = { reason: 'an answer that is not JSON' };
  it.each<[Behaviour, object]>([
    // The names of an answer's members, without a value.
    [
      answer(200, { id: 'canary', user: { sub: 'canary' }, 'https://x.example/uid': 'canary' }),
      { ...unusable, members: 'id, user, https://x.example/uid' },
    ],
    [answer(200, { tok: 1 }), { ...unusable, members: 'tok' }],
    [
      answer(200, { sub: 'canary'.repeat(200) }),
      { reason: 'a subject over 1024 bytes', field: 'sub', members: 'sub' },
    ],
    // The media type that came instead of JSON.
    [ofType('application/jwt'), { ...noJson, content_type: 'application/jwt' }],
    [ofType('text/html; charset=utf-8'), { ...noJson, content_type: 'text/html' }],
    [ofType('TEXT/HTML'), { ...noJson, content_type: 'text/html' }],
  ])('a token is undecided: %#', async (behaviour, fields) => {
    const { lines } = await askOnce(behaviour);
    const event = 'identity_provider_unavailable';
    expect(lines).toEqual([{ level: 'warn', event, fields }]);
  });

  it.each<[number, string | null, Behaviour]>([
    // The provider's code, if it is one.
    [403, 'insufficient_scope', answer(403, { error: 'insufficient_scope' })],
    [403, 'bad_jwt', answer(403, { code: 403, error_code: 'bad_jwt', msg: 'x' })],
    [403, null, answer(403, { error: 'the token is not good' })],
    [403, null, answer(403, { error: 'x'.repeat(41) })],
    [403, null, answer(403, { error: { code: 'invalid_token' } })],
    [403, null, answer(403, 'Forbidden')],
    // The challenge's error, if RFC 6750 defines it.
    [401, 'invalid_token', challenge('Bearer realm="x", error="invalid_token", x="canary"')],
    [401, 'insufficient_scope', challenge('Bearer error=insufficient_scope')],
    [401, 'invalid_request', challenge('Bearer realm="x",error = "INVALID_REQUEST"')],
    [401, null, challenge('Bearer error="canary"')],
    [401, null, challenge('Bearer my_error="invalid_token"')],
  ])('a token is refused: %i, %s', async (status, reason, behaviour) => {
    const { lines } = await askOnce(behaviour);
    const event = 'identity_provider_refused';
    expect(lines).toEqual([{ level: 'warn', event, fields: { status, reason } }]);
  });
});

describe('The log never holds the token', () => {
  it.each<[string, Behaviour]>([
    ['as its error code', answer(401, { error: TOKEN })],
    ['as a part of its error code', answer(401, { error_code: `invalid_${TOKEN}` })],
    ['as a part of the code in another case', answer(401, { code: `bad_${TOKEN.toLowerCase()}_` })],
    ['cut short in its error code', answer(401, { error: `bad_${CUT}` })],
    ['in its message', answer(401, { error: 'invalid_token', error_description: `bad ${TOKEN}` })],
    ['in a text', answer(403, `the token ${TOKEN} is bad`)],
    ['in a redirect', answer(302, '', { Location: `https://elsewhere.example/?t=${TOKEN}` })],
    ['as the name of a member', answer(200, { [TOKEN]: 1, [`x.${CUT}`]: 1 })],
    ['as its media type', answer(200, '', { 'Content-Type': `text/${TOKEN}` })],
    ['in its challenge', challenge(`Bearer error="${TOKEN}"`)],
    ['as an unusable subject', answer(200, { sub: `${TOKEN}\n` })],
  ])('though the provider repeats it %s', async (_name, behaviour) => {
    const { lines } = await askOnce(behaviour, { token: TOKEN });
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines).toLowerCase()).not.toContain(CUT.toLowerCase());
  });

  it('although the request refuses it, or the network error quotes it', async () => {
    const token = `${TOKEN}\nX-Injected: yes`;
    const refused = await askOnce(answer(200, { sub: 'user-1' }), { token });
    expect([refused.identity.status, refused.questions]).toEqual(['unavailable', 0]);
    const cause = new Error(`Bearer ${TOKEN}`);
    const fetch = () => Promise.reject(new TypeError(`fetch failed: ${TOKEN}`, { cause }));
    const failed = await askOnce(answer(200), { token: TOKEN, options: { fetch } });
    expect(failed.lines.map(({ fields }) => fields)).toEqual([{ reason: 'TypeError' }]);
    expect(refused.lines).toHaveLength(1);
    expect(JSON.stringify(refused.lines)).not.toContain(TOKEN);
  });
});

it('A failure is reported once a minute with the number of suppressed reports, another at once', async () => {
  let status = 503;
  await using stub = await openIdentityStub((...asked) => answer(status)(...asked));
  const log = keptLog();
  const clock = { now: 1_000_000 };
  const provider = userinfoIdentity({ url: stub.url, log, clock: () => clock.now });
  // The last steps set the clock back.
  for (const later of [0, 0, 0, 59_999, 1, 60_000, -3_600_000, 0]) {
    clock.now += later;
    await provider.identify(TOKEN);
  }
  status = 500;
  await provider.identify(TOKEN);
  const reason = 'status 503';
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { reason },
    { reason, suppressed: 3 },
    { reason },
    { reason },
    { reason: 'status 500' },
  ]);
});
