// Which alerts of scripts/operations/alerts.yml fire, and after how many minutes, when what was
// seen on /metrics goes on: Prometheus' own rule tester judges the samples of an event.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';

/** So long all was as before the event, and so long it goes on as after it. */
const BEFORE_MINUTES = 120;
const AFTER_MINUTES = 90;
const RULES = join(root, 'scripts/operations/alerts.yml');
const FIRST_FIRED = `min_over_time(timestamp(ALERTS{alertstate="firing"})[${AFTER_MINUTES}m:1m])`;
const SAMPLE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;
const IS_COUNTER = /_(?:total|bucket|count|sum)$/;
const IS_TIME = /(?:_timestamp|_start_time)_seconds$/;
/** How long something took, by a clock that jumps by days, means nothing. */
const IS_DURATION = /^service_event_loop_|_duration_seconds_/;
const FIRED = /alertname="(\w+)"[^}]*\} (\S+?),?(?=\s|$)/g;

/** What an event showed on the operations port; a text is undefined where nothing answered. */
export interface Scrapes {
  /** Before the event. */
  readonly before: string | undefined;
  /** After it, and again after some more requests: counters go on at this pace each minute. */
  readonly after: string | undefined;
  readonly later: string | undefined;
  /** The service's clock at the event, in milliseconds since 1970. */
  readonly at: number;
}

export interface FiredAlert {
  readonly name: string;
  /** After the event. */
  readonly minutes: number;
}

export function promtoolIsThere(): boolean {
  return spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** In order of their names. The file of the test goes into `folder`. */
export function alertsOf(scrapes: Scrapes, folder: string): FiredAlert[] {
  const path = join(folder, 'alerts-test.json');
  // The tester's clock begins at 0.
  const zeroSeconds = scrapes.at / 1_000 - BEFORE_MINUTES * 60;
  const test = {
    interval: '1m',
    input_series: seriesOf(scrapes, zeroSeconds),
    // Wants nothing, so that the tester prints what it found.
    promql_expr_test: [
      { expr: FIRST_FIRED, eval_time: `${BEFORE_MINUTES + AFTER_MINUTES}m`, exp_samples: [] },
    ],
  };
  // JSON is YAML.
  writeFileSync(
    path,
    JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: [test] }),
  );
  const { stdout, stderr, status } = spawnSync('promtool', ['test', 'rules', path], {
    encoding: 'utf8',
  });
  const output = stdout + stderr;
  if (status !== 0 && !output.includes('got:')) throw new Error(`promtool: ${output}`);
  const first = new Map<string, number>();
  for (const [, name = '', second] of output.matchAll(FIRED)) {
    const minutes = Math.round(Number(second) / 60) - BEFORE_MINUTES;
    // A rule of two parts may fire twice.
    first.set(name, Math.min(minutes, first.get(name) ?? minutes));
  }
  return [...first]
    .map(([name, minutes]) => ({ name, minutes }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

function seriesOf({ before, after, later }: Scrapes, zeroSeconds: number) {
  const [old, first, second] = [before, after, later].map((text) => samplesOf(text, zeroSeconds));
  const names = new Set([...(old?.keys() ?? []), ...(second?.keys() ?? [])]);
  return [...names].map((series) => {
    const begun = steady(old?.get(series), BEFORE_MINUTES);
    const value = second?.get(series);
    const isCounter = IS_COUNTER.test(series.split('{', 1)[0] ?? '');
    const pace = isCounter ? Number(value) - Number(first?.get(series) ?? 0) : 0;
    return { series, values: `${begun} ${steady(value, AFTER_MINUTES, pace)}` };
  });
}

/** The tester's notation of a series. */
function steady(value: number | undefined, minutes: number, pace = 0) {
  if (value === undefined) return `_x${minutes}`;
  return `${value}+${Math.max(0, pace)}x${minutes - 1}`;
}

function samplesOf(text: string | undefined, zeroSeconds: number): Map<string, number> {
  const samples = new Map([[named('up', ''), text === undefined ? 0 : 1]]);
  for (const line of (text ?? '').split('\n')) {
    const [, name = '', labels = '', digits] = SAMPLE.exec(line) ?? [];
    const value = Number(digits);
    if (name === '' || IS_DURATION.test(name) || !Number.isFinite(value)) continue;
    // 0 says that there is none.
    const shift = IS_TIME.test(name) && value !== 0 ? zeroSeconds : 0;
    samples.set(named(name, labels), value - shift);
  }
  return samples;
}

function named(name: string, labels: string) {
  return `${name}{job="service-management",instance="machine"${labels && `,${labels}`}}`;
}
