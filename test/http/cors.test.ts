// Contract, "Common headers" and "CORS preflight", as the pure functions that
// every answer passes; the contract suite has them over HTTP.

import { describe, expect, it } from 'vitest';
import { originPolicy, preflightResponse } from '../../src/core/http/cors.js';

const ALLOWED = ['https://shop.example', 'http://localhost:3000'];

function from(origin: string | undefined) {
  return { headers: new Headers(origin === undefined ? {} : { Origin: origin }) };
}

describe('The origin policy', () => {
  it.each([[[]], [['*']], [['https://shop.example', '*']]])(
    'admits any origin with the list %j, without Vary',
    (allowed) => {
      const policy = originPolicy(allowed);
      const any = { 'Access-Control-Allow-Origin': '*' };
      expect(policy(from('https://elsewhere.example'))).toEqual(any);
      expect(policy(from(undefined))).toEqual(any);
    },
  );

  it.each(ALLOWED)('admits %s, which is on the list, with Vary', (origin) => {
    expect(originPolicy(ALLOWED)(from(origin))).toEqual({
      'Access-Control-Allow-Origin': origin,
      Vary: 'Origin',
    });
  });

  it.each([
    'https://elsewhere.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://SHOP.example',
    'null',
    undefined,
  ])('sends no header to %s, which is not on the list', (origin) => {
    expect(originPolicy(ALLOWED)(from(origin))).toEqual({});
  });
});

describe('The preflight answer', () => {
  it('is 204 without a body, with the methods, the headers and the origin', async () => {
    const response = preflightResponse({ 'Access-Control-Allow-Origin': '*' });
    expect(response.status).toBe(204);
    expect(response.body).toBeNull();
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': 'Content-Type, Authorization, X-Request-ID',
    });
  });
});
