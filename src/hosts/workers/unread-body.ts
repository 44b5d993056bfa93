// The rest of a refused request's body. Left unread, the runtime cuts
// the connection after the answer, and the next request on it meets a reset.

import { boundedBody } from '../../core/bounded-body.js';
import type { HostBindings } from '../../core/http/request-body.js';

type ReadBody = NonNullable<HostBindings['readBody']>;

/** The connection of a longer body is cut: reading on would cost more than a new connection. */
const DRAINED_MAX_BYTES = 8_388_608;

/** A body that takes longer does not delay its answer. */
const DRAINED_MAX_MS = 250;

/** Reads a request's body up to the limit. The rest stays readable, for `drainBody`. */
export function drainableReader({ body }: Request): ReadBody {
  return (maxBytes) => boundedBody(body?.values({ preventCancel: true }) ?? null, maxBytes);
}

/** Reads the rest of a body, within the limits. Never rejects. */
export async function drainBody({ body, headers }: Request): Promise<void> {
  if (body === null || body.locked) return;
  if (Number(headers.get('content-length') ?? 0) > DRAINED_MAX_BYTES) return;
  const reader = body.getReader();
  const late = setTimeout(() => void reader.cancel().catch(() => {}), DRAINED_MAX_MS);
  try {
    for (let bytes = 0; bytes <= DRAINED_MAX_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
    }
  } catch {
    // The client has gone, so no connection is left to keep.
  } finally {
    clearTimeout(late);
  }
}
