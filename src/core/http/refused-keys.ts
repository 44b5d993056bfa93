// The trace of somebody who tries admin keys: each minute the log gets one line for each
// of a few addresses, and one with the number of the other addresses.

import type { Log } from '../log.js';

const WINDOW_MS = 60_000;
/** At most this many addresses are named in a minute. Otherwise an attacker with many addresses could fill the log's disk. */
const ADDRESSES_MAX = 20;

export class RefusedKeys {
  readonly #log: Log;
  readonly #onRefused: () => void;
  readonly #clock: () => number;
  readonly #named = new Set<string>();
  #since = Number.NEGATIVE_INFINITY;
  #suppressed = 0;

  /** `clock` in milliseconds since 1970. `onRefused` is called for each refusal. */
  constructor(log: Log, clock: () => number, onRefused: () => void = () => {}) {
    this.#log = log;
    this.#onRefused = onRefused;
    this.#clock = clock;
  }

  /** Notes a refused request that had an admin key. The key itself is not looked at. */
  note(request: Request, remoteAddress = 'unknown'): void {
    if (!request.headers.has('x-service-admin-key')) return;
    this.#onRefused();
    const now = this.#clock();
    // Also if the clock was set back: that must not silence the log.
    if (Math.abs(now - this.#since) >= WINDOW_MS) {
      this.#named.clear();
      this.#since = now;
    }
    if (this.#named.has(remoteAddress) || this.#named.size >= ADDRESSES_MAX) {
      this.#suppressed++;
      return;
    }
    this.#named.add(remoteAddress);
    const suppressed = this.#suppressed === 0 ? {} : { suppressed: this.#suppressed };
    this.#suppressed = 0;
    this.#log.warn('admin_key_refused', { remote_address: remoteAddress, ...suppressed });
  }
}
