// `fetch` on a connection of its own, for the one request that is sent again
// because the provider closed the kept one under it.

/** Where Node and undici keep what `fetch` sends with; documented by undici for use across its versions. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

type DispatcherClass = new (options: { pipelining: number }) => object;

/** Like `fetch`; where a connection of its own cannot be had, it is `fetch`. */
export const freshFetch: typeof fetch = (input, init) => {
  const dispatcher = ownDispatcher();
  return fetch(input, (dispatcher === undefined ? init : { ...init, dispatcher }) as RequestInit);
};

/** Of the class that is in use, so that a proxy from the environment stays in between. */
function ownDispatcher(): object | undefined {
  const shared: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  if (typeof shared !== 'object' || shared === null) return undefined;
  try {
    // 0: the connection is closed after the answer.
    return new (shared.constructor as DispatcherClass)({ pipelining: 0 });
  } catch {
    // A dispatcher that an embedder set and that wants more to be made.
    return undefined;
  }
}
