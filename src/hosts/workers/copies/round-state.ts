// The progress of the round, in the bucket. An invocation must have read the latest state
// before it stores the next one: if two run at the same time, one is stopped.

import type { R2Bucket } from '@cloudflare/workers-types';
import { ROUND_KEY, type Round } from './copy-format.js';

export class RoundState {
  readonly #bucket: R2Bucket;
  #etag: string | undefined;
  #round: Round | undefined;

  private constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  static async read(bucket: R2Bucket): Promise<RoundState> {
    const state = new RoundState(bucket);
    const stored = await bucket.get(ROUND_KEY);
    if (stored === null) return state;
    state.#etag = stored.etag;
    state.#round = JSON.parse(await stored.text());
    return state;
  }

  /** As it is stored; undefined before the first round. */
  get round(): Round | undefined {
    return this.#round;
  }

  /** Rejects if another invocation has stored one meanwhile. */
  async store(round: Round): Promise<void> {
    const onlyIf =
      this.#etag === undefined ? { etagDoesNotMatch: '*' } : { etagMatches: this.#etag };
    const stored = await this.#bucket.put(ROUND_KEY, JSON.stringify(round), { onlyIf });
    if (stored === null) throw new RoundTaken('another invocation goes on with this round');
    this.#etag = stored.etag;
    this.#round = round;
  }
}

export class RoundTaken extends Error {}
