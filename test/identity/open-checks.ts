// Checks over an endpoint of a test, with a clock of their own.

import { Checks, type ChecksOptions } from '../../src/core/identity/checks.js';
import type { Verdict } from '../../src/core/identity/userinfo.js';

export const REFUSED: Verdict = { kind: 'refused', fields: { status: 401 } };
export const UNUSABLE = { kind: 'unusable', fields: { reason: 'of a test' } } as const;

/** `exp`: of the answer, in seconds. */
export function good(subject: string, { exp }: { exp?: number } = {}): Verdict {
  return { kind: 'identified', subject, expiresAt: exp && exp * 1000 };
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
      return verdictOf(token);
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
