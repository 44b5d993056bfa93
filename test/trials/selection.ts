// Which trials were asked for: the names that `npm run trust` sets. As vitest's global setup this
// file refuses a name that is no trial's.

import { TRIALS } from './trials.js';

const ALL = TRIALS.map(({ name }) => name);

/** The names in `TRIALS`, separated by commas; every trial if it is empty. */
export function chosenNames(): string[] {
  const names = (process.env['TRIALS'] ?? '').split(',').filter((name) => name !== '');
  return names.length > 0 ? names : ALL;
}

export default function refuseUnknownNames(): void {
  const unknown = chosenNames().filter((name) => !ALL.includes(name));
  if (unknown.length === 0) return;
  process.stderr.write(`no such trial: ${unknown.join(', ')}; there are ${ALL.join(', ')}\n`);
  process.exit(1);
}
