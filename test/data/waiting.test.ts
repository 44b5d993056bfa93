// How long a command waits before it asks again, and when it gives up.

import { describe, expect, it } from 'vitest';
import { type Passing, patiently, startWaiting, WAITS } from '../../src/tools/data/waiting.js';
import { Interrupted } from '../../src/tools/program/ending.js';

function failure(retryAfterMs?: number): Passing {
  return Object.assign(new Error('busy'), { retryAfterMs });
}

/** Its waits are over at once, as after Ctrl-C; `said` has what the person reads. */
function waitingAt(clock: { now: number }) {
  const said: string[] = [];
  const dependencies = {
    interrupted: AbortSignal.abort(),
    now: () => clock.now,
    err: (text: string) => void said.push(text.match(/waiting (.*) s/)?.[1] ?? text),
  };
  return { said, waiting: startWaiting(dependencies, WAITS, ({ message }) => message) };
}

describe('A wait', () => {
  it('grows up to half a minute', async () => {
    const { said, waiting } = waitingAt({ now: 0 });
    for (let times = 0; times < 7; times++) await waiting.wait(failure());
    expect(said).toEqual(['1.0', '2.0', '4.0', '8.0', '16.0', '30.0', '30.0']);
  });

  it('is the one that the answer asked for, once and for five minutes at most', async () => {
    const { said, waiting } = waitingAt({ now: 0 });
    for (const asked of [7_000, undefined, 31_536_000_000, 0]) await waiting.wait(failure(asked));
    expect(said).toEqual(['7.0', '2.0', '300.0', '0.0']);
  });

  it('ends after ten minutes without an answer', async () => {
    const clock = { now: 0 };
    const { waiting } = waitingAt(clock);
    clock.now = WAITS.patienceMs;
    await waiting.wait(failure());
    clock.now++;
    await expect(waiting.wait(failure())).rejects.toThrow(
      'the service has not recovered for 10 minutes: busy',
    );
  });
});

describe('A call that is made patiently', () => {
  const isPassing = (error: unknown): error is Passing => (error as Error).message === 'busy';

  it('is repeated while its failures pass, and no longer', async () => {
    const ends = [failure(), failure(), new Error('no')];
    const waited: unknown[] = [];
    const waiting = { wait: async (error: Passing) => void waited.push(error) };
    const call = () => Promise.reject(ends[waited.length]);
    const { signal } = new AbortController();
    await expect(patiently(call, waiting, isPassing, { interrupted: signal })).rejects.toThrow(
      'no',
    );
    expect(waited).toHaveLength(2);
  });

  it('is not made any more after Ctrl-C', async () => {
    const interruption = new AbortController();
    let calls = 0;
    const call = () => Promise.reject(failure(++calls));
    const wait = async () => {
      if (interruption.signal.aborted) throw new Error('it was made again');
      interruption.abort();
    };
    const made = patiently(call, { wait }, isPassing, { interrupted: interruption.signal });
    await expect(made).rejects.toThrow(Interrupted);
    expect(calls).toBe(1);
  });
});
