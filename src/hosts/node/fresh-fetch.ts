// `fetch` on a new connection. It is for a request that is sent once more
// because the provider closed the kept one under it.

/**
 * The key under which Node and undici keep the dispatcher of `fetch`; undici documents
 * it for all its versions.
 */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

type DispatcherClass = new (options: { pipelining: number }) => object;

/** Like `fetch`, on a new connection. If that is not possible, it is `fetch` itself. */
export const freshFetch: typeof fetch = (input, init) => {
  const dispatcher = ownDispatcher();
  return fetch(input, (dispatcher === undefined ? init : { ...init, dispatcher }) as RequestInit);
};

/** A dispatcher of the class in use, so that a proxy from the environment stays in use. */
function ownDispatcher(): object | undefined {
  const shared: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  if (typeof shared !== 'object' || shared === null) return undefined;
  try {
    // With 0 the connection is closed after the answer.
    return new (shared.constructor as DispatcherClass)({ pipelining: 0 });
  } catch {
    // The embedding program has set a dispatcher whose constructor needs more.
    return undefined;
  }
}
