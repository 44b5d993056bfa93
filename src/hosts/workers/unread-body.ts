// The rest of a refused request's body. Left unread, the runtime cuts
// the connection after the answer, and the next request on it meets a reset.

import { boundedBody } from '../../core/bounded-body.js';
import type { HostBindings } from '../../handler.js';

type ReadBody = NonNullable<HostBindings['readBody']>;

/** The connection of a longer body is cut: reading on would cost more than a new connection. */
const DRAINED_MAX_BYTES = 8_388_608;

/** A body that takes longer does not delay its answer. */
const DRAINED_MAX_MS = 250;

/** Reads a request's body up to the limit. The rest stays readable, for `drainBody`. */
export function drainableReader({ body }: Request): ReadBody {
  return (maxBytes) => boundedBody(body?.values({ preventCancel: true }) ?? null, maxBytes);
}

/** Reads the rest of a body up to the limit; resolves when that is done or takes too long. Never rejects. */
export async function drainBody(request: Request): Promise<void> {
  if (request.body === null) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAINED_MAX_MS);
  });
  await Promise.race([drained(request), late]);
  clearTimeout(timer);
}

async function drained(request: Request): Promise<void> {
  const { body } = request;
  if (body === null || body.locked) return;
  if (Number(request.headers.get('content-length') ?? 0) > DRAINED_MAX_BYTES) return;
  const reader = body.getReader();
  try {
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      bytes += value?.length ?? 0;
      if (done || bytes > DRAINED_MAX_BYTES) return;
    }
  } catch {
    // The client has gone, so no connection is left to keep.
  } finally {
    reader.releaseLock();
  }
}
