// How a test turns on the faults of faulty-worker.ts.

import type { ContractService } from '../support/contract.js';
import { workerHost } from '../support/worker-host.js';
import type { Counts, Faults } from './faulty-worker.js';

export const FAULTY_WORKER = workerHost(
  'Worker with faults',
  new URL('./faulty-worker.ts', import.meta.url),
);

/** Sets faults and resolves with what was called so far. */
export async function setFaults(
  service: ContractService,
  faults: Partial<Faults> = {},
): Promise<Counts> {
  const response = await ask(service, '/faults', {
    method: 'POST',
    body: JSON.stringify(faults),
  });
  return (await response.json()) as Counts;
}

/** Takes the account's object out of memory, whatever it is doing. */
export async function killObject(service: ContractService, owner: string): Promise<void> {
  await ask(service, `/kill?owner=${encodeURIComponent(owner)}`);
}

/** Makes the directory receive again, in order, what the account has told it, `but` the last so many. */
export async function deliverAgain(
  service: ContractService,
  owner: string,
  but: number,
): Promise<void> {
  const query = `owner=${encodeURIComponent(owner)}&but=${but}`;
  const { status } = await ask(service, `/deliver-again?${query}`);
  if (status !== 200) throw new Error(`deliver again: ${status}`);
}

/** The path that turns faults on does not belong to the API. */
function ask(service: ContractService, path: string, init?: RequestInit): Promise<Response> {
  return service.undescribed(() => service.fetch(path, init));
}
