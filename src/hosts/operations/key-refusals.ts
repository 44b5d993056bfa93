// Refused admin keys: how many there were, and when the newest came. An attacker sends
// many, so those of one minute are one entry. The log has the addresses.

const MINUTE_MS = 60_000;
const ENTRIES_MAX = 10;

/** The refusals within a minute of the first of them. Times in milliseconds since 1970, UTC. */
export interface KeyRefusal {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export class KeyRefusals {
  total = 0;
  /** Newest first. */
  newest: readonly KeyRefusal[] = [];

  add(now: number): void {
    this.total++;
    const [last, ...earlier] = this.newest;
    // Also if the clock was set back: a new entry.
    const isSameMinute = last !== undefined && Math.abs(now - last.from) < MINUTE_MS;
    this.newest = isSameMinute
      ? [{ from: last.from, to: now, count: last.count + 1 }, ...earlier]
      : [{ from: now, to: now, count: 1 }, ...this.newest.slice(0, ENTRIES_MAX - 1)];
  }
}
