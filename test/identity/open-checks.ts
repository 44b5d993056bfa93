// Checks over an endpoint of a test, with a clock of their own.

import { Checks, type ChecksOptions } from '../../src/core/identity/checks.js';
import type { Verdict } from '../../src/core/identity/exchange.js';

export const REFUSED: Verdict = { kind: 'refused', answer: {} };
export const UNUSABLE: Verdict = { kind: 'unusable', reason: 'of a test', answer: {} };

export function good(subject: string, answer: unknown = {}): Verdict {
  return { kind: 'identified', subject, answer };
}

export function openChecks(
  verdictOf: (token: string) => Verdict | Promise<Verdict>,
  options: Partial<ChecksOptions> = {},
) {
  const asked: string[] = [];
  const told: string[] = [];
  const clock = { now: 1_000_000 };
  const checks = new Checks({
    digest: (token) => `#${token}`,
    clock: () => clock.now,
    events: {
      identityChecked: (outcome) => void told.push(outcome),
      identityShared: (how) => void told.push(how),
    },
    ...options,
    ask: async (token) => {
      asked.push(token);
      return { status: 200, headers: new Headers(), verdict: await verdictOf(token) };
    },
  });
  const check = async (token: string) => checks.identify(token);
  return { asked, told, clock, check };
}

/** Verdicts that the test gives when it wants to. */
export function held() {
  const waiting = new Map<string, (verdict: Verdict | Promise<Verdict>) => void>();
  return {
    verdictOf: (token: string) =>
      new Promise<Verdict>((resolve) => void waiting.set(token, resolve)),
    answer: (token: string, verdict: Verdict | Promise<Verdict>) => waiting.get(token)?.(verdict),
  };
}

/** Everything that was ready to run has run. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
