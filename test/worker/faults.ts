// How a test turns on the faults of faulty-worker.ts.

import type { ContractService } from '../support/contract.js';
import { workerHost } from '../support/worker-host.js';
import type { Counts, Faults } from './faulty-worker.js';

export const FAULTY_ENTRY = new URL('./faulty-worker.ts', import.meta.url);
export const FAULTY_WORKER = workerHost('Worker with faults', FAULTY_ENTRY);

/** Sets faults and resolves with what was called so far. */
export async function setFaults(
  service: ContractService,
  faults: Partial<Faults> = {},
): Promise<Counts> {
  return (await ask(service, '/faults', JSON.stringify(faults))).json() as Promise<Counts>;
}

/** Takes the account's object out of memory, whatever it is doing. */
export async function killObject(service: ContractService, owner: string): Promise<void> {
  await ask(service, `/kill?owner=${encodeURIComponent(owner)}`);
}

/** Makes the directory receive again, in order, what the account has told it, except the last `but`. */
export async function deliverAgain(service: ContractService, owner: string, but: number) {
  await ask(service, `/deliver-again?owner=${encodeURIComponent(owner)}&but=${but}`);
}

/** The paths that turn faults on do not belong to the API. */
async function ask(service: ContractService, path: string, body = ''): Promise<Response> {
  const response = await service.undescribed(() => service.fetch(path, { method: 'POST', body }));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
}
