// The Worker with faults that a test can turn on, and counts of what was called; everything else is
// the built Worker itself.

import type { Delivery } from '../../src/hosts/workers/account-call.js';
import { directoryStub, type WorkerEnvironment } from '../../src/hosts/workers/environment.js';
import worker, {
  AccountObject as Account,
  DirectoryObject as Directory,
} from '../../src/worker.js';

/**
 * What becomes of a call of an account. `overload`: the platform refuses it, because the object has
 * too much to do. `loss`: the object was lost, which the platform says is worth asking again.
 * `before`, `after`: it fails by itself, before anything is done or after everything is.
 */
export type CallFault = 'overload' | 'loss' | 'before' | 'after';

const faults = {
  directoryIsDown: false,
  /** Of the next calls of accounts. */
  calls: [] as CallFault[],
  /** The gateway says more in each call than this version knows. */
  gatewayIsNewer: false,
  /** The objects say more in each answer than this version knows. */
  objectsAreNewer: false,
};
export type Faults = typeof faults;
/** A property such as a later version may add to any message. */
const MORE = { addedLater: { nested: [1, 'two', null] } };

const counts = { accountCalls: 0, directoryCalls: 0 };
export type Counts = typeof counts;
const delivered: Delivery[] = [];

export class AccountObject extends Account {
  kill(): void {
    this.ctx.abort('killed by the test');
  }
}

export class DirectoryObject extends Directory {
  override async apply(delivery: Delivery) {
    reach();
    delivered.push(delivery);
    if (!faults.objectsAreNewer) return super.apply(delivery);
    return { ...(await super.apply({ ...delivery, ...MORE })), ...MORE };
  }

  override async overview() {
    reach();
    return super.overview();
  }
}

function reach(): void {
  counts.directoryCalls++;
  if (faults.directoryIsDown) throw new Error('the directory is down');
}

/** Also one level down, where pages and failures are. */
function withMore(outcome: object): object {
  const parts = Object.entries(outcome).map(([name, part]) => [
    name,
    typeof part === 'object' ? { ...part, ...MORE } : part,
  ]);
  return { ...Object.fromEntries(parts), ...MORE };
}

type Method = (...given: unknown[]) => Promise<object>;
type Stub = Record<string | symbol, Method>;

/** The bindings as the gateway sees them. */
function seenByGateway(env: WorkerEnvironment): WorkerEnvironment {
  const { ACCOUNTS } = env;
  const handler: ProxyHandler<Stub> = { get: (stub, name) => called.bind(undefined, stub, name) };
  const get = (id: ReturnType<typeof ACCOUNTS.idFromName>) =>
    new Proxy(ACCOUNTS.get(id) as unknown as Stub, handler);
  const idFromName = (name: string) => ACCOUNTS.idFromName(name);
  return { ...env, ACCOUNTS: { idFromName, get } as unknown as typeof ACCOUNTS };
}

async function called(stub: Stub, name: string | symbol, ...given: unknown[]) {
  counts.accountCalls++;
  const fault = faults.calls.shift();
  const error = new Error('injected');
  if (fault === 'before') throw error;
  if (fault === 'overload' || fault === 'loss') {
    throw Object.assign(error, { overloaded: fault === 'overload', retryable: true });
  }
  const [caller, ...rest] = given;
  const sent = faults.gatewayIsNewer ? [{ ...(caller as object), ...MORE }, ...rest, MORE] : given;
  const outcome = (await stub[name]?.(...sent)) ?? {};
  if (fault === 'after') throw error;
  return faults.objectsAreNewer ? withMore(outcome) : outcome;
}

export default {
  async fetch(request: Request, env: WorkerEnvironment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const owner = searchParams.get('owner') ?? '';
    if (pathname === '/faults') {
      Object.assign(faults, await request.json());
      return Response.json(counts);
    }
    if (pathname === '/kill') {
      const stub: unknown = env.ACCOUNTS.get(env.ACCOUNTS.idFromName(owner));
      await (stub as { kill(): Promise<void> }).kill().catch(() => {});
      return new Response();
    }
    if (pathname !== '/deliver-again') return worker.fetch(request, seenByGateway(env));
    const own = delivered.filter((delivery) => delivery.owner === owner);
    const end = own.length - Number(searchParams.get('but'));
    for (const delivery of own.slice(0, end)) await directoryStub(env).apply(delivery);
    return new Response();
  },
};
