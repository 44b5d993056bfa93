// `npm run move` in this process, and the Workers that it moves to.

import { fileURLToPath } from 'node:url';
import type { MiniflareOptions } from 'miniflare';
import { ADMIN_KEY } from './contract.js';
import { dataCommandHere, SHORT_WAITS, startDataCommand } from './data-command.js';
import { type IdentityStub, openIdentityStub } from './identity-stub.js';
import type { Program, ProgramRun } from './program.js';
import { besideEachOther, startBeside, workerOptions } from './worker-host.js';
import { startWorkerProcess } from './worker-process.js';

const SCRIPT = fileURLToPath(new URL('../../dist/admin-worker.js', import.meta.url));

/** The service's Worker and the admin Worker, with their state in a folder. */
export interface MoveWorkers {
  /** Origins. */
  readonly service: string;
  readonly maintenance: string;
  stop(): Promise<void>;
}

export async function startMoveWorkers(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<MoveWorkers> {
  const identity: IdentityStub = await openIdentityStub();
  const first = await workerOptions(folder, {
    AUTH_USERINFO_URL: identity.url,
    ADMIN_API_KEY: ADMIN_KEY,
    ...settings,
  });
  const { miniflare, origins } = await startBeside(first, maintaining(first));
  const [service = '', maintenance = ''] = origins;
  return {
    service,
    maintenance,
    async stop() {
      await miniflare.dispose();
      await identity.close();
    },
  };
}

const WAITS = { ...SHORT_WAITS, timeoutMs: 30_000 };

export function moveHere(
  args: readonly string[],
  {
    key = ADMIN_KEY,
    environment = {} as Readonly<Record<string, string>>,
    waits = WAITS,
    interrupted = new AbortController().signal,
  } = {},
): Promise<ProgramRun> {
  const settings = { ADMIN_API_KEY: key, ...environment };
  return dataCommandHere(['move', ...args], settings, { waits, interrupted });
}

/** `node dist/manage.js move`, as an operator runs it. */
export function startMove(args: readonly string[]): Program {
  return startDataCommand(['move', ...args], { ADMIN_API_KEY: ADMIN_KEY });
}

/** Both Workers in a process group of their own, which can be killed; on ports that stay. */
export async function moveWorkersToKill(folder: string, ports: readonly [number, number]) {
  const first = await workerOptions(folder, { ADMIN_API_KEY: ADMIN_KEY });
  const { durableObjectsPersist } = first;
  // Miniflare takes the folder of the state for all of its Workers.
  const workers = besideEachOther(first, [maintaining(first)], ports).map(
    ({ durableObjectsPersist: _, ...worker }: Record<string, unknown>) => worker,
  );
  return {
    maintenance: `http://127.0.0.1:${ports[1]}`,
    start: () =>
      startWorkerProcess({
        host: '127.0.0.1',
        durableObjectsPersist,
        workers,
      } as unknown as MiniflareOptions),
  };
}

/** The admin Worker, with work on accounts on. */
function maintaining({ bindings }: Awaited<ReturnType<typeof workerOptions>>) {
  return {
    name: 'admin',
    modules: [{ type: 'ESModule' as const, path: SCRIPT }],
    bindings: { ...bindings, MAINTENANCE: 'on' },
  };
}

/** A call of the admin Worker, as the move makes it. */
export async function askMaintenance(
  origin: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; json: { data?: never; error?: { message: string } } }> {
  const ask = () =>
    fetch(`${origin}${path}`, {
      method,
      headers: { 'X-Service-Admin-Key': ADMIN_KEY, 'Accept-Encoding': 'identity' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  // Each call may be made twice, and a kept connection may be one to Workers that were killed.
  const response = await ask().catch(ask).catch(ask);
  return { status: response.status, json: JSON.parse(await response.text()) };
}
