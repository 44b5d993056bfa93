// The AUTH_* settings: what is taken, and the one sentence that a setting which
// cannot be used ends the start with.

import { expect, it } from 'vitest';
import { type Environment, readSettings } from '../../src/hosts/settings.js';
import { expectRefused, refusalOf, warningsOf } from '../support/refused-setting.js';

const USERINFO = 'https://id.example.com/userinfo';
const ISSUER = 'https://id.example.com/realms/shop';
const SECONDS = 'a whole number from 0 to 300';
const URL_WANTED = 'an https URL without credentials (http on loopback only)';
const HEADERS = 'a JSON object of header names and text values, such as {"apikey":"…"}';
const FIELD =
  'a dotted path such as user.id, or a JSON Pointer such as /user/id (a member whose name is a URL needs a pointer: / becomes ~1)';
const ISSUER_WANTED = `${URL_WANTED}, query or fragment`;

it.each([
  [
    'AUTH_USERINFO_URL',
    'https://id.example.com:8443/a?b=c',
    { userinfoUrl: 'https://id.example.com:8443/a?b=c' },
  ],
  [
    'AUTH_USERINFO_URL',
    'http://localhost:9/userinfo',
    { userinfoUrl: 'http://localhost:9/userinfo' },
  ],
  ['AUTH_USERINFO_URL', 'http://127.0.0.1/me', { userinfoUrl: 'http://127.0.0.1/me' }],
  ['AUTH_USERINFO_URL', 'http://127.8.9.1/me', { userinfoUrl: 'http://127.8.9.1/me' }],
  ['AUTH_USERINFO_URL', 'http://[::1]:9/me', { userinfoUrl: 'http://[::1]:9/me' }],
  ['AUTH_USERINFO_HEADERS', '{}', { headers: {} }],
  // One name for one header, however it is spelled: ours must not be sent beside it.
  [
    'AUTH_USERINFO_HEADERS',
    '{"ApiKey":"k","Accept":"a"}',
    { headers: { apikey: 'k', accept: 'a' } },
  ],
  ['AUTH_SUBJECT_FIELD', 'id', { subjectField: 'id' }],
  ['AUTH_SUBJECT_FIELD', 'data.user.id', { subjectField: 'data.user.id' }],
  ['AUTH_SUBJECT_FIELD', '/data/id', { subjectField: '/data/id' }],
  [
    'AUTH_SUBJECT_FIELD',
    '/https:~1~1shop.example.com~1uid',
    { subjectField: '/https:~1~1shop.example.com~1uid' },
  ],
  ['AUTH_USERINFO_METHOD', 'GET', { method: 'GET' }],
  ['AUTH_USERINFO_METHOD', 'POST', { method: 'POST' }],
  // Compared as it is written: Auth0's ends in a slash, Keycloak's does not.
  ['AUTH_ISSUER', 'https://id.example.com', { issuer: 'https://id.example.com' }],
  ['AUTH_ISSUER', 'https://id.example.com/', { issuer: 'https://id.example.com/' }],
  ['AUTH_CACHE_SECONDS', '0', { cacheSeconds: 0 }],
  ['AUTH_CACHE_SECONDS', '300', { cacheSeconds: 300 }],
])('takes %s=%s', (name, text, wanted) => {
  const { signIn } = readSettings({ AUTH_USERINFO_URL: USERINFO, [name]: text });
  expect(signIn).toEqual({
    userinfo: 'on',
    userinfoUrl: USERINFO,
    headers: {},
    method: 'GET',
    subjectField: 'sub',
    issuer: undefined,
    jwksUrl: undefined,
    audiences: [],
    cacheSeconds: 0,
    ...wanted,
  });
});

it('takes an issuer alone: its discovery document names the rest', () => {
  const { signIn } = readSettings({ AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: 'shop' });
  expect(signIn).toMatchObject({ userinfoUrl: undefined, issuer: ISSUER, audiences: ['shop'] });
});

it.each([{ AUTH_ISSUER: ISSUER }, { AUTH_JWKS_URL: `${ISSUER}/keys` }])(
  'takes keys and an audience alone with AUTH_USERINFO=off: %j',
  (keys) => {
    const { signIn } = readSettings({ ...keys, AUTH_AUDIENCE: 'shop', AUTH_USERINFO: 'off' });
    expect(signIn).toMatchObject({ userinfo: 'off', userinfoUrl: undefined, audiences: ['shop'] });
  },
);

it.each<[Environment, string]>([
  [
    { AUTH_USERINFO_URL: USERINFO, AUTH_AUDIENCE: 'shop' },
    'AUTH_ISSUER is unset; it must be the issuer whose keys check the tokens for AUTH_AUDIENCE (or set AUTH_JWKS_URL)',
  ],
  [
    { AUTH_USERINFO_URL: USERINFO, AUTH_JWKS_URL: ISSUER },
    'AUTH_AUDIENCE is unset; it must be the audience of the tokens that the keys of AUTH_JWKS_URL are to check',
  ],
  [
    { AUTH_AUDIENCE: 'shop', AUTH_JWKS_URL: ISSUER },
    'AUTH_USERINFO_URL is unset; it must be the endpoint that is asked once a token has passed (or set AUTH_ISSUER, or AUTH_USERINFO=off)',
  ],
  [
    { AUTH_ISSUER: ISSUER, AUTH_USERINFO: 'off' },
    'AUTH_AUDIENCE is unset; it must be the audience of the tokens, because nothing else checks them with AUTH_USERINFO=off',
  ],
  [
    { AUTH_AUDIENCE: 'shop', AUTH_USERINFO: 'off' },
    'AUTH_ISSUER is unset; it must be the issuer whose keys check the tokens for AUTH_AUDIENCE (or set AUTH_JWKS_URL)',
  ],
  [
    {
      AUTH_ISSUER: ISSUER,
      AUTH_AUDIENCE: 'shop',
      AUTH_USERINFO: 'off',
      AUTH_USERINFO_URL: USERINFO,
    },
    'AUTH_USERINFO is "off"; it must be on where AUTH_USERINFO_URL is set',
  ],
])('refuses %j: half a gate is none', (environment, message) => {
  expect(refusalOf(environment).message).toBe(message);
});

it.each([
  ['AUTH_CACHE_SECONDS', '301', '"301"', SECONDS],
  ['AUTH_CACHE_SECONDS', '1h', '"1h"', SECONDS],
  ['AUTH_USERINFO_URL', 'canary', 'no URL (hidden)', URL_WANTED],
  [
    'AUTH_USERINFO_URL',
    'http://id.example.com/me?key=canary',
    '"http://id.example.com"',
    URL_WANTED,
  ],
  ['AUTH_USERINFO_URL', 'https://u:canary@id.example.com/', '"https://id.example.com"', URL_WANTED],
  ['AUTH_USERINFO_URL', 'http://canary@localhost/', '"http://localhost"', URL_WANTED],
  [
    'AUTH_USERINFO_URL',
    'http://127.0.0.1.example.com/',
    '"http://127.0.0.1.example.com"',
    URL_WANTED,
  ],
  ['AUTH_USERINFO_URL', 'ftp://localhost/', '"ftp://localhost"', URL_WANTED],
  ['AUTH_USERINFO_HEADERS', 'canary', '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', '"canary"', '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', '["canary"]', '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', 'null', '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', '{"canary":1}', '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', '{"Connection":"canary"}', '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', '{"expect":"canary"}', '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', '{"bad name":"canary"}', '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', String.raw`{"a":"canary\r\nb: c"}`, '(hidden)', HEADERS],
  ['AUTH_USERINFO_HEADERS', '{"a":"canary €"}', '(hidden)', HEADERS],
  ['AUTH_SUBJECT_FIELD', 'a..b', '"a..b"', FIELD],
  ['AUTH_SUBJECT_FIELD', '.a', '".a"', FIELD],
  ['AUTH_SUBJECT_FIELD', 'a b', '"a b"', FIELD],
  ['AUTH_SUBJECT_FIELD', '/', '"/"', FIELD],
  ['AUTH_SUBJECT_FIELD', '/a//b', '"/a//b"', FIELD],
  ['AUTH_SUBJECT_FIELD', '/a~2', '"/a~2"', FIELD],
  ['AUTH_SUBJECT_FIELD', 'https://shop.example.com/uid', '"https://shop.example.com/uid"', FIELD],
  ['AUTH_USERINFO', 'no', '"no"', 'on or off'],
  ['AUTH_USERINFO_METHOD', 'post', '"post"', 'GET or POST'],
  ['AUTH_ISSUER', 'http://id.example.com', '"http://id.example.com"', ISSUER_WANTED],
  ['AUTH_ISSUER', 'canary', 'no URL (hidden)', ISSUER_WANTED],
  [
    'AUTH_ISSUER',
    'https://id.example.com/?canary',
    '"https://id.example.com/?(hidden)"',
    ISSUER_WANTED,
  ],
  ['AUTH_JWKS_URL', 'ftp://localhost/', '"ftp://localhost"', URL_WANTED],
  ['AUTH_AUDIENCE', ' , ', '" , "', 'one audience or several, separated by commas'],
])('refuses %s=%j in one sentence without secrets', expectRefused);

it('refuses a setting whose needed other setting is missing', () => {
  expect(refusalOf({ AUTH_USERINFO_HEADERS: 'x' }).message).toMatch(/^AUTH_USERINFO_HEADERS is/);
});

it('warns when tokens of any application of an issuer are accepted', () => {
  expect(warningsOf({ AUTH_ISSUER: ISSUER })).toEqual(['identity_audience_unchecked']);
  expect(warningsOf({ AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: 'shop' })).toEqual([]);
});
