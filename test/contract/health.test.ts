// Contract, "Health".

import { expect, it } from 'vitest';
import { describeContract } from '../support/contract.js';

describeContract('Health', (service) => {
  it('returns the service’s constants to every caller, and never calls the provider', async () => {
    const before = service.identity.tokens.length;
    for (const caller of [service.anonymous, service.account()]) {
      const reply = await caller.get('/health');
      expect(reply.status).toBe(200);
      expect(reply.json.data).toEqual({
        ...{ status: 'ok', service: 'service-management-api', version: 'v1' },
        ...{ time_zone: 'Africa/Dar_es_Salaam', currency: 'TZS' },
      });
      expect(reply.json.meta.request_id).toMatch(/^req_[0-9a-f]{16}$/);
    }
    expect(service.identity.tokens.length).toBe(before);
  });
});
