// A client's way to the service under test, on whichever host it runs.

import type { ContractService } from './contract.js';

/** Sends to the service whatever is asked of an origin. */
export function serviceFetch(
  service: ContractService,
): (url: string, init: RequestInit) => Promise<Response> {
  return (url, init) => {
    const { pathname, search } = new URL(url);
    return service.fetch(pathname + search, init);
  };
}
