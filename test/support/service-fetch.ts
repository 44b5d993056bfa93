// A `fetch` for the clients under test that reaches the service on every host.

import type { ContractService } from './contract.js';

/** Sends every request to the service, whatever its origin. */
export function serviceFetch(
  service: ContractService,
): (url: string, init: RequestInit) => Promise<Response> {
  return (url, init) => {
    const { pathname, search } = new URL(url);
    return service.fetch(pathname + search, init);
  };
}
