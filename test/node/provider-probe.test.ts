// The question at the start, to a provider that comes back later.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ProviderFinding } from '../../src/core/identity/probe.js';
import { probeProvider } from '../../src/hosts/node/provider-probe.js';
import { keptLog } from '../support/kept-log.js';

const AWAY = { ok: false, found: 'no answer (ECONNREFUSED)', remedy: 'see', away: true };
const GOOD = { ok: true, found: 'a made-up token is refused with status 401', remedy: null };
const UNFIT = { ok: false, found: 'status 404', remedy: 'set another address' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A probe of a provider with these answers. */
function open(...answers: ProviderFinding[]) {
  const log = keptLog();
  const signIn = { probe: vi.fn(async () => answers.shift() ?? AWAY) };
  const stopping = new AbortController();
  const probe = probeProvider(signIn, log, stopping.signal);
  return {
    probe,
    stop: () => stopping.abort(),
    signIn,
    log,
    events: () => log.lines.map(({ event }) => event),
  };
}

it.each([
  ['fit', GOOD, 'identity_provider_asked'],
  ['unfit', UNFIT, 'identity_provider_unfit'],
])(
  'A provider that is away at the start and then %s is asked until it answers, and the log says both, once',
  async (_, answer, event) => {
    const { probe, signIn, log, events } = open(AWAY, AWAY, answer);
    await vi.advanceTimersByTimeAsync(19_000);
    expect([probe.finding, signIn.probe.mock.calls.length]).toEqual([AWAY, 2]);
    expect(events()).toEqual(['identity_provider_unavailable']);
    expect(log.lines[0]?.fields).toEqual({ reason: AWAY.found, remedy: AWAY.remedy });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([probe.finding, signIn.probe.mock.calls.length]).toEqual([answer, 3]);
    expect(events()).toEqual(['identity_provider_unavailable', event]);
  },
);

it('It is asked no more after a stop', async () => {
  const { stop, signIn } = open(AWAY);
  await vi.advanceTimersByTimeAsync(1);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(signIn.probe).toHaveBeenCalledOnce();
});
