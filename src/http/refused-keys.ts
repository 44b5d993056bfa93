// The trace of somebody who tries admin keys: one line of the log a minute for
// each address, of a few addresses, and the number of the rest.

import type { Log } from '../log.js';

const WINDOW_MS = 60_000;
/** Addresses that are named in a minute: with many at hand, an attacker could fill the disk of the log. */
const ADDRESSES_MAX = 20;

export class RefusedKeys {
  readonly #log: Log;
  readonly #clock: () => number;
  readonly #named = new Set<string>();
  #since = Number.NEGATIVE_INFINITY;
  #suppressed = 0;

  /** `clock` in milliseconds since 1970. */
  constructor(log: Log, clock: () => number) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Takes note of a refused request, where it brought an admin key. The key itself is not looked at. */
  note(request: Request, remoteAddress = 'unknown'): void {
    if (!request.headers.has('x-service-admin-key')) return;
    const now = this.#clock();
    // Either way: a clock that was set back must not silence the log.
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
