// Whether the time of a refusal tells how much of the admin key was guessed. The
// same statistics must find a comparison that stops at the first difference,
// or they would prove nothing.

import { createHandler, type RecordStore } from 'service-management-api';
import type { Finding } from '../trial.js';

/** As long as a header may be, so that a comparison that stops early stops much earlier. */
const KEY = 'k'.repeat(8_000);
const NEAR = `${KEY.slice(0, -1)}!`;
const FAR = `!${KEY.slice(1)}`;
/** Beyond this a difference of means is no accident (t-test as leakage tests use it). */
const T_MAX = 4.5;
/** The slowest tenth of the times are the machine's, not the comparison's. */
const KEPT_SHARE = 0.9;

export type Ask = (key: string) => unknown;

export async function keyTimingFinding(samples: number): Promise<Finding> {
  const handle = createHandler({
    records: {} as RecordStore,
    adminKey: KEY,
  });
  /** Asked before anything else, so no records are needed for a refusal. */
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
    fault: 'the admin key guessed by how long a refusal takes',
    tried: `${samples} near misses and ${samples} wild guesses, in random order`,
    found: `t = ${ours.toFixed(1)}; ${control.toFixed(1)} with a comparison that stops early (telling from ${T_MAX} on)`,
    holds: Math.abs(ours) < T_MAX && Math.abs(control) > T_MAX,
  };
}

/** Welch's t of the two classes' times. */
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

/** The mistake that is looked for. */
function stopsEarly(given: string, key: string) {
  for (let i = 0; i < key.length; i++) if (given.charCodeAt(i) !== key.charCodeAt(i)) return false;
  return true;
}
