// Sign-in over a userinfo endpoint and a clock that the test controls.

import type { ProviderResponse } from '../../src/core/identity/send.js';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import { memoryLog } from '../support/memory-log.js';

export const NOW = Date.UTC(2026, 0, 1);
export const identified = (subject: string) => ({ status: 'identified', subject });

type Reply = ProviderResponse | Promise<ProviderResponse>;

export function reply(
  status: number,
  json: unknown = null,
  retryAfter: string | null = null,
): Reply {
  async function* body() {
    yield new TextEncoder().encode(JSON.stringify(json));
  }
  return { status, headers: { get: () => retryAfter }, body: body() };
}
export const good = (sub: string, claims = {}) => reply(200, { sub, ...claims });

/** Sign-in over the test's own endpoint and clock. */
export function open(replyTo: (token: string) => Reply, cacheSeconds = 0) {
  const requested: string[] = [];
  const outcomes: string[] = [];
  const clock = { now: NOW };
  const log = memoryLog();
  const { identity } = openSignIn({
    settings: { userinfoUrl: 'https://id.example.com/me', cacheSeconds },
    log,
    digest: (token) => `#${token}`,
    clock: () => clock.now,
    events: {
      identityChecked: (outcome) => void outcomes.push(outcome),
      identityShared: (how) => void outcomes.push(how),
    },
    fetch: async (_url, { headers }) => {
      const token = headers['authorization']?.slice('Bearer '.length) ?? '';
      requested.push(token);
      return replyTo(token);
    },
  });
  const check = async (token: string, from = '') => identity.identify(token, () => from);
  /** The result for a token at a later time, and the number of requests so far. */
  const later = async (ms: number, token = 'a') => {
    clock.now += ms;
    return [await check(token), requested.length] as const;
  };
  return { requested, outcomes, clock, log, check, later };
}

/** Responses that the test sends on demand. */
export function held() {
  const waiting = new Map<string, (reply: Reply) => void>();
  return {
    replyTo: (token: string) =>
      new Promise<ProviderResponse>((resolve) => void waiting.set(token, resolve)),
    answer: (token: string, reply: Reply) => waiting.get(token)?.(reply),
  };
}

/** Resolves once everything that was ready to run has run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
