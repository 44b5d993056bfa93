// How long a command waits before it asks again, and when it gives up.

import { expect, it } from 'vitest';
import { ApiError } from '../../src/operator-client.js';
import { Service, WAITS } from '../../src/tools/data/service.js';
import { type CommandDependencies, Interrupted } from '../../src/tools/program/command.js';

const failure = (retryAfterMs?: number) =>
  new ApiError('RATE_LIMITED', 'busy', { status: 429, retryAfterMs });

const serviceWith = (dependencies: Pick<CommandDependencies, 'interrupted' | 'now' | 'err'>) =>
  new Service(
    { baseUrl: 'http://127.0.0.1/api/v1', adminKey: '' },
    dependencies as CommandDependencies,
  );

/** Its waits are over at once, as after Ctrl-C; `said` has what the person reads. */
function waitingAt(clock: { now: number }) {
  const said: string[] = [];
  const dependencies = {
    interrupted: AbortSignal.abort(),
    now: () => clock.now,
    err: (text: string) => void said.push(text.match(/waiting (.*) s/)?.[1] ?? text),
  };
  return { said, wait: serviceWith(dependencies).startWaiting() };
}

it.each([
  ['grows up to half a minute', Array(7).fill(undefined), '1.0 2.0 4.0 8.0 16.0 30.0 30.0'],
  [
    'is the one that the answer asked for, once and for five minutes at most',
    [7_000, undefined, 31_536_000_000, 0],
    '7.0 2.0 300.0 0.0',
  ],
])('A wait %s', async (_, asked: (number | undefined)[], waits) => {
  const { said, wait } = waitingAt({ now: 0 });
  for (const ms of asked) await wait(failure(ms));
  expect(said.join(' ')).toBe(waits);
});

it('The waits end after ten minutes without an answer', async () => {
  const clock = { now: 0 };
  const { wait } = waitingAt(clock);
  clock.now = WAITS.patienceMs;
  await wait(failure());
  clock.now++;
  await expect(wait(failure())).rejects.toThrow('has not recovered for 10 minutes');
});

it('A call is not made any more after Ctrl-C', async () => {
  const interruption = new AbortController();
  let calls = 0;
  const call = () => {
    calls++;
    interruption.abort();
    return Promise.reject(failure());
  };
  const dependencies = { interrupted: interruption.signal, now: () => 0, err() {} };
  await expect(serviceWith(dependencies).patiently(call)).rejects.toThrow(Interrupted);
  expect(calls).toBe(1);
});
