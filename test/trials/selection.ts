// Which trials were asked for: the environment variables that `npm run trust` sets.
// As vitest's global setup this file refuses a name that is no trial's.

import { TRIALS } from './trials.js';

const ALL = TRIALS.map(({ name }) => name);

/** The names in `TRIALS`, separated by commas; every trial when it is empty. */
export function chosenNames(): string[] {
  const names = (process.env['TRIALS'] ?? '').split(',').filter((name) => name !== '');
  return names.length > 0 ? names : ALL;
}

/** Whether the short versions are wanted: `TRIALS_QUICK` is not empty. */
export function isQuick(): boolean {
  return (process.env['TRIALS_QUICK'] ?? '') !== '';
}

/** Whether the versions for a night are wanted: `TRIALS_LONG` is not empty. */
export function isLong(): boolean {
  return (process.env['TRIALS_LONG'] ?? '') !== '';
}

/** Part of the names of the runs that are wanted, of a trial that has several; empty for all. */
export function wantedPart(): string {
  return process.env['TRIALS_ONLY'] ?? '';
}

/** The minutes that were asked for, of a trial that takes any time; undefined for its own. */
export function wantedMinutes(): number | undefined {
  const minutes = Number(process.env['TRIALS_MINUTES'] ?? '');
  return minutes > 0 ? minutes : undefined;
}

/** The seeds that were asked for, of a trial that is random; undefined for a new one. */
export function wantedSeeds(): number[] | undefined {
  return (process.env['TRIALS_SEEDS'] ?? '').match(/\d+/g)?.map(Number);
}

export default function refuseUnknownNames(): void {
  const unknown = chosenNames().filter((name) => !ALL.includes(name));
  if (unknown.length === 0) return;
  process.stderr.write(`no such trial: ${unknown.join(', ')}
npm run trust -- [--quick | --long] [--only RUN] [--minutes N] [--seeds N,N] [${ALL.join('] [')}]
`);
  process.exit(1);
}
