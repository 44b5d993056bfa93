// Requests that wait for a turn, a place or bytes: they go on, or end where their client has gone.

import { disconnected, type IsDisconnected } from './disconnected.js';
import { FairQueue } from './fair-queue.js';

export interface WaitingRequest {
  readonly isDisconnected: IsDisconnected;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

export function requestQueue<Item extends WaitingRequest>(): FairQueue<Item> {
  return new FairQueue({
    isGone: ({ isDisconnected }) => isDisconnected(),
    drop: ({ reject }) => reject(disconnected()),
  });
}
