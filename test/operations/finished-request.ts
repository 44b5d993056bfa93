// A request as the service reports it when its response is written.

import type { FinishedRequest } from '../../src/core/service-events.js';

export function finishedRequest(facts: Partial<FinishedRequest> = {}): FinishedRequest {
  return {
    route: '/api/v1/customers',
    method: 'GET',
    status: 200,
    milliseconds: 1.234,
    aborted: false,
    requestId: 'req_1',
    bytes: 512,
    ...facts,
  };
}
