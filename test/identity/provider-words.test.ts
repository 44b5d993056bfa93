// Which words of a provider's answer the log repeats: those of the standards, in every
// form in which a provider may send them, and no other.

import { expect, it } from 'vitest';
import { challengeError, mediaType } from '../../src/core/identity/provider-words.js';

const TOKEN = 'a-secret-token';

it.each([
  ['Bearer error="invalid_token"', 'invalid_token'],
  ['error=invalid_token', 'invalid_token'],
  ['Bearer realm="x",error = "INVALID_REQUEST"', 'invalid_request'],
  ['Bearer realm="x", error=\t"insufficient_scope", scope="a"', 'insufficient_scope'],
  ['Bearer error_description="invalid_token"', null],
  ['Bearer terror="invalid_token"', null],
  ['Bearer error="expired"', null],
  ['', null],
  [null, null],
])('The error of the challenge %j is %j', (header, wanted) => {
  expect(challengeError(header)).toBe(wanted);
});

it.each([
  ['text/html', 'text/html'],
  ['TEXT/HTML; charset=utf-8', 'text/html'],
  ['  application/problem+json\t;q', 'application/problem+json'],
  [`a9/${'x'.repeat(60)} `, `a9/${'x'.repeat(60)}`],
  [`a9/${'x'.repeat(61)}`, null],
  ['text/html and more', null],
  ['of text/html', null],
  ['text', null],
  [`text/${TOKEN}`, null],
  ['', null],
  [null, null],
])('The media type of %j is %j', (header, wanted) => {
  expect(mediaType(header, TOKEN)).toBe(wanted);
});
