// The AUTH_* settings: what is accepted, and the one-sentence error for each invalid setting.

import { expect, it } from 'vitest';
import { settingWarnings } from '../../src/hosts/settings/warnings.js';
import { type Environment, readSettings } from '../../src/hosts/settings.js';
import { expectBadSetting, refusalOf } from '../support/refused-setting.js';

const USERINFO = 'https://id.example.com/userinfo';
const ISSUER = 'https://id.example.com/realms/shop';
const URL_WANTED = 'an https URL without credentials (http on loopback only)';
const HEADERS = 'a JSON object of header names and text values, such as {"apikey":"…"}';
const FIELD =
  'a dotted path such as user.id, or a JSON Pointer such as /user/id (a member whose name is a URL needs a pointer: / becomes ~1)';

const TAKEN: readonly (readonly [name: string, property: string, texts: string])[] = [
  [
    'AUTH_USERINFO_URL',
    'userinfoUrl',
    'https://id.example.com:8443/a?b=c http://localhost:9/me http://127.8.9.1/me http://[::1]:9/me',
  ],
  ['AUTH_SUBJECT_FIELD', 'subjectField', 'id data.user.id /data/id /https:~1~1x.example~1uid'],
  ['AUTH_USERINFO_METHOD', 'method', 'GET POST'],
  // Compared as written: Auth0's ends in a slash, Keycloak's does not.
  ['AUTH_ISSUER', 'issuer', 'https://id.example.com https://id.example.com/'],
];
it.each([
  ...TAKEN.flatMap(([name, property, texts]) =>
    texts.split(' ').map((text) => [name, text, { [property]: text }] as const),
  ),
  ['AUTH_CACHE_SECONDS', '300', { cacheSeconds: 300 }],
  // One name for one header, however it is spelled: ours must not be sent too.
  ['AUTH_USERINFO_HEADERS', '{"ApiKey":"k"}', { headers: { apikey: 'k' } }],
] as const)('Sign-in settings accept %s=%s', (name, text, wanted) => {
  const { signIn } = readSettings({ AUTH_USERINFO_URL: USERINFO, [name]: text });
  expect(signIn).toEqual({
    ...{ userinfo: 'on', userinfoUrl: USERINFO, headers: {}, method: 'GET', subjectField: 'sub' },
    ...{ issuer: undefined, jwksUrl: undefined, audiences: [], cacheSeconds: 0 },
    ...wanted,
  });
});

it('A start accepts keys and an audience alone with AUTH_USERINFO=off', () => {
  for (const keys of [{ AUTH_ISSUER: ISSUER }, { AUTH_JWKS_URL: `${ISSUER}/keys` }]) {
    const { signIn } = readSettings({ ...keys, AUTH_AUDIENCE: 'shop', AUTH_USERINFO: 'off' });
    const alone = { userinfoUrl: undefined, audiences: ['shop'], userinfo: 'off' };
    expect(signIn).toMatchObject(alone);
  }
});

const NO_ISSUER =
  'AUTH_ISSUER is unset; it must be the issuer whose keys check the tokens for AUTH_AUDIENCE (or set AUTH_JWKS_URL)';
const NO_AUDIENCE =
  'AUTH_AUDIENCE is unset; it must be the audience of the tokens, which AUTH_USERINFO=off or AUTH_JWKS_URL needs';
const OFF = { AUTH_ISSUER: ISSUER, AUTH_USERINFO: 'off' };
it.each<[Environment, string]>([
  [{ AUTH_USERINFO_URL: USERINFO, AUTH_AUDIENCE: 'shop' }, NO_ISSUER],
  [{ AUTH_USERINFO_URL: USERINFO, AUTH_JWKS_URL: ISSUER }, NO_AUDIENCE],
  [
    { AUTH_AUDIENCE: 'shop', AUTH_JWKS_URL: ISSUER },
    'AUTH_USERINFO_URL is unset; it must be the endpoint to call after the check of a token by its keys (or set AUTH_ISSUER, or AUTH_USERINFO=off)',
  ],
  [OFF, NO_AUDIENCE],
  [
    { ...OFF, AUTH_AUDIENCE: 'shop', AUTH_USERINFO_URL: USERINFO },
    'AUTH_USERINFO is "off"; it must be on if AUTH_USERINFO_URL is set',
  ],
  [{ AUTH_USERINFO_HEADERS: 'x' }, expect.stringMatching(/^AUTH_USERINFO_HEADERS is/)],
])('A start refuses the incomplete settings %j', (environment, message) => {
  expect(refusalOf(environment).message).toEqual(message);
});

const BAD_HEADERS = [
  ...['canary', '"canary"', '["canary"]', 'null', '{"canary":1}'],
  ...['{"bad name":"canary"}', '{"a":"canary €"}'],
  String.raw`{"a":"canary\r\nb: c"}`,
];
const BAD_FIELDS = ['a..b', '.a', 'a b', '/', '/a//b', '/a~2', 'https://shop.example.com/uid'];
/** A URL, and what the error shows of it. */
const BAD_URLS = [
  ['canary', 'not a URL (hidden)'],
  ['http://id.example.com/me?key=canary', '"http://id.example.com/me?(hidden)"'],
  ['http://canary@localhost/', '"http://(hidden)@localhost/"'],
  ['http://127.0.0.1.example.com/', '"http://127.0.0.1.example.com/"'],
  ['ftp://localhost/', '"ftp://localhost/"'],
] as const;
const ISSUER_WANTED = `${URL_WANTED}, query or fragment`;
it.each([
  ...BAD_URLS.map(([url, shown]) => ['AUTH_USERINFO_URL', url, shown, URL_WANTED] as const),
  ...BAD_HEADERS.map((text) => ['AUTH_USERINFO_HEADERS', text, '(hidden)', HEADERS] as const),
  ...BAD_FIELDS.map((text) => ['AUTH_SUBJECT_FIELD', text, `"${text}"`, FIELD] as const),
  ...['301', '1h'].map(
    (text) => ['AUTH_CACHE_SECONDS', text, `"${text}"`, 'a whole number from 0 to 300'] as const,
  ),
  ['AUTH_USERINFO', 'no', '"no"', 'on or off'],
  ['AUTH_USERINFO_METHOD', 'post', '"post"', 'GET or POST'],
  ['AUTH_ISSUER', 'http://id.example.com', '"http://id.example.com"', ISSUER_WANTED],
  ['AUTH_ISSUER', 'https://x.example/?canary', '"https://x.example/?(hidden)"', ISSUER_WANTED],
  ['AUTH_JWKS_URL', 'ftp://localhost/', '"ftp://localhost/"', URL_WANTED],
  ['AUTH_AUDIENCE', ' , ', '" , "', 'one or more audiences, separated by commas'],
] as const)('A start refuses %s=%j in one sentence without secrets', expectBadSetting);

it('A start warns when any application’s tokens are accepted, an email address is the subject, or a key is too short', () => {
  const warningsOf = (environment: Environment) =>
    settingWarnings(readSettings(environment), environment).map(({ event }) => event);
  expect(warningsOf({ AUTH_ISSUER: ISSUER })).toEqual(['identity_audience_unchecked']);
  const gate = { AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: 'shop' };
  expect(warningsOf({ ...gate, ADMIN_API_KEY: 'k'.repeat(32) })).toEqual([]);
  expect(warningsOf({ ...gate, ADMIN_API_KEY: 'k'.repeat(31) })).toEqual(['admin_key_too_short']);
  expect(warningsOf({ ...gate, AUTH_SUBJECT_FIELD: 'email' })).toEqual(['subject_is_an_address']);
});
