// `manage dump` and `manage load` in this process, and the Workers that they work on.

import { fileURLToPath } from 'node:url';
import { ADMIN_KEY } from './contract.js';
import { dataCommandHere, SHORT_WAITS } from './data-command.js';
import { openIdentityStub } from './identity-stub.js';
import type { ProgramRun } from './program.js';
import { startBeside, workerOptions } from './worker-host.js';

const SCRIPT = fileURLToPath(new URL('../../dist/admin-worker.js', import.meta.url));

/** The service's Worker and the admin Worker, with their state in a folder. */
export interface DumpWorkers {
  /** Origins. */
  readonly service: string;
  readonly maintenance: string;
  stop(): Promise<void>;
}

export async function startDumpWorkers(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<DumpWorkers> {
  const identity = await openIdentityStub();
  const given = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY, ...settings };
  const first = await workerOptions(folder, given);
  const { miniflare, origins } = await startBeside(first, {
    name: 'admin',
    modules: [{ type: 'ESModule', path: SCRIPT }],
    bindings: { ...first.bindings, MAINTENANCE: 'on' },
  });
  const [service = '', maintenance = ''] = origins;
  const stop = async () => {
    await miniflare.dispose();
    await identity.close();
  };
  return { service, maintenance, stop };
}

const WAITS = { ...SHORT_WAITS, timeoutMs: 30_000 };

/** Runs `dump …` or `load …`. */
export function runHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ProgramRun> {
  return dataCommandHere(args, { ADMIN_API_KEY: ADMIN_KEY, ...environment }, { waits: WAITS });
}

/** The same, which must end with 0; resolves with what it printed. */
export async function runWell(...how: Parameters<typeof runHere>): Promise<string> {
  const { code, stdout, stderr } = await runHere(...how);
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** A call of the admin Worker, as the commands make it. */
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
