// The question at the start, to a provider that comes back later.

import { describe, expect, it } from 'vitest';
import type { ProviderFinding } from '../../src/core/identity/probe.js';
import { ProviderProbe } from '../../src/hosts/node/provider-probe.js';
import { eventually } from '../support/eventually.js';
import { keptLog } from '../support/kept-log.js';

const AWAY = { ok: false, found: 'no answer (ECONNREFUSED)', remedy: 'see', away: true };
const GOOD = { ok: true, found: 'a made-up token is refused with status 401', remedy: null };
const UNFIT = { ok: false, found: 'status 404', remedy: 'set another address' };

/** A probe of a provider with these answers, whose pauses end when the test says so. */
function open(...answers: ProviderFinding[]) {
  const log = keptLog();
  const pauses: (() => void)[] = [];
  let asked = 0;
  const probe = new ProviderProbe({
    log,
    signIn: { probe: async () => answers[asked++] ?? AWAY },
    after: (_, signal) =>
      new Promise((go, stop) => {
        pauses.push(() => go(undefined));
        signal.addEventListener('abort', () => stop(signal.reason));
      }),
  });
  const events = () => log.lines.map(({ event }) => event);
  const paused = (times: number) => eventually(async () => expect(pauses).toHaveLength(times));
  return { probe, log, events, pauses, paused, asked: () => asked };
}

describe('A provider that is away at the start', () => {
  it('is asked again until it answers, and the log says both, once', async () => {
    const { probe, log, events, pauses, paused } = open(AWAY, AWAY, GOOD);
    await paused(1);
    expect(probe.finding).toBe(AWAY);
    pauses[0]?.();
    await paused(2);
    expect(events()).toEqual(['identity_provider_unavailable']);
    expect(log.lines[0]?.fields).toEqual({ reason: AWAY.found, remedy: AWAY.remedy });
    pauses[1]?.();
    await eventually(async () => expect(probe.finding).toBe(GOOD));
    expect(events()).toEqual(['identity_provider_unavailable', 'identity_provider_asked']);
    expect(pauses).toHaveLength(2);
  });

  it('and unfit when it is back is told so', async () => {
    const { events, pauses, paused } = open(AWAY, UNFIT);
    await paused(1);
    pauses[0]?.();
    await eventually(async () =>
      expect(events()).toEqual(['identity_provider_unavailable', 'identity_provider_unfit']),
    );
  });

  it('is asked no more after a stop', async () => {
    const { probe, paused, asked } = open(AWAY);
    await paused(1);
    probe.stop();
    await new Promise((later) => setImmediate(later));
    expect(asked()).toBe(1);
  });
});

it('An answer, good or unfit, is asked for once', async () => {
  for (const answer of [GOOD, UNFIT]) {
    const { probe, pauses, asked } = open(answer);
    await eventually(async () => expect(probe.finding).toBe(answer));
    expect([asked(), pauses.length]).toEqual([1, 0]);
  }
});
