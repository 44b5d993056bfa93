// Requests that wait for a turn, a place or bytes: they go on, or end where their client has gone.

import { disconnected, type HasGone } from './disconnected.js';
import { FairQueue } from './fair-queue.js';

export interface WaitingRequest {
  readonly hasGone: HasGone;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

export function requestQueue<Item extends WaitingRequest>(): FairQueue<Item> {
  return new FairQueue({
    isGone: ({ hasGone }) => hasGone(),
    drop: ({ reject }) => reject(disconnected()),
  });
}
