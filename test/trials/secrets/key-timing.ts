// Whether the time of a refusal shows how much of the admin key was guessed. As a control,
// the same statistics must detect a comparison that stops at the first difference.

import { createHandler, type RecordService } from 'service-management-api';
import type { Finding } from '../trial.js';

/** As long as a header may be: a comparison that stops early is then much faster. */
const KEY = 'k'.repeat(8_000);
const NEAR = `${KEY.slice(0, -1)}!`;
const FAR = `!${KEY.slice(1)}`;
/** A larger t is no accident. Tests for leaks by timing use this limit (TVLA). */
const T_MAX = 4.5;
/** The slowest tenth of the times is dropped: the machine causes it, not the comparison. */
const KEPT_SHARE = 0.9;

export type Ask = (key: string) => unknown;

export async function keyTimingFinding(samples: number): Promise<Finding> {
  const handle = createHandler({
    records: {} as RecordService,
    adminKey: KEY,
  });
  /** The key is checked before anything else, so a refusal needs no records. */
  const ask = (key: string) =>
    handle(
      new Request('http://localhost/api/v1/admin/overview', {
        headers: { 'X-Service-Admin-Key': key },
      }),
    );
  const ours = await tStatisticOf(ask, samples);
  const control = await tStatisticOf(async (key) => {
    stopsEarly(key, KEY);
    return ask(key);
  }, samples);
  return {
    fault: 'guessing the admin key by the time of a refusal',
    tried: `${samples} near misses and ${samples} wild guesses, in random order`,
    found: `t = ${ours.toFixed(1)}; ${control.toFixed(1)} with a comparison that stops early (a leak from ${T_MAX} on)`,
    holds: Math.abs(ours) < T_MAX && Math.abs(control) > T_MAX,
  };
}

/** Welch's t of the times of near misses and wild guesses. */
async function tStatisticOf(ask: Ask, samples: number) {
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < 2_000; i++) await ask(i % 2 === 0 ? NEAR : FAR);
  while (times[0].length < samples || times[1].length < samples) {
    const isNear = Math.random() < 0.5;
    const start = process.hrtime.bigint();
    await ask(isNear ? NEAR : FAR);
    times[isNear ? 0 : 1].push(Number(process.hrtime.bigint() - start));
  }
  const [near, far] = times.map((all) =>
    momentsOf(all.sort((a, b) => a - b).slice(0, all.length * KEPT_SHARE)),
  );
  if (near === undefined || far === undefined) return Number.NaN;
  return (near.mean - far.mean) / Math.sqrt(near.variance / near.count + far.variance / far.count);
}

function momentsOf(values: readonly number[]) {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return { count, mean, variance };
}

/** The faulty comparison of the control. */
function stopsEarly(given: string, key: string) {
  for (let i = 0; i < key.length; i++) if (given.charCodeAt(i) !== key.charCodeAt(i)) return false;
  return true;
}
