// The Worker with faults that a test can turn on, and counts of what was
// called: everything else is the built Worker itself.

import type { Outcome } from '../../src/core/domain/errors.js';
import type {
  AccountStub,
  Caller,
  Delivery,
  Receipt,
} from '../../src/hosts/workers/account-call.js';
import { directoryStub, type WorkerEnvironment } from '../../src/hosts/workers/environment.js';
import worker, {
  AccountObject as Account,
  DirectoryObject as Directory,
} from '../../src/worker.js';

export interface Faults {
  directoryIsDown: boolean;
  /** So many of the next calls of accounts fail before anything is done, … */
  failuresBefore: number;
  /** … and so many after everything is done. */
  failuresAfter: number;
  /** So many of the next calls of accounts are refused by the platform: the object has too much to do, … */
  overloads: number;
  /** … and so many are lost with their object, which the platform says is worth asking again. */
  losses: number;
  /** The gateway says more in each call than this version knows. */
  gatewayIsNewer: boolean;
  /** The objects say more in each answer than this version knows. */
  objectsAreNewer: boolean;
  /** A method that the account's object does not have yet. */
  unknownOperation: string;
}

export interface Counts {
  accountCalls: number;
  directoryCalls: number;
  deliveries: number;
}

const faults: Faults = {
  directoryIsDown: false,
  failuresBefore: 0,
  failuresAfter: 0,
  overloads: 0,
  losses: 0,
  gatewayIsNewer: false,
  objectsAreNewer: false,
  unknownOperation: '',
};
/** A property such as a later version may add to any message. */
const MORE = { addedLater: { nested: [1, 'two', null] } };

const counts: Counts = { accountCalls: 0, directoryCalls: 0, deliveries: 0 };
const delivered: Delivery[] = [];

/** The methods by which the gateway asks an account. */
const METHODS = ['list', 'read', 'create', 'update', 'delete', 'payments', 'profile'] as const;

type Method = (...given: unknown[]) => Promise<Outcome<unknown>>;

export class AccountObject extends Account {
  static {
    for (const name of METHODS) {
      const method = Account.prototype[name] as Method;
      Object.defineProperty(AccountObject.prototype, name, {
        async value(...given: unknown[]) {
          counts.accountCalls++;
          if (faults.failuresBefore > 0) {
            faults.failuresBefore--;
            throw new Error('injected before the call');
          }
          const outcome = await method.apply(this, given);
          if (faults.failuresAfter > 0) {
            faults.failuresAfter--;
            throw new Error('injected after the call');
          }
          return faults.objectsAreNewer ? withMore(outcome) : outcome;
        },
      });
    }
  }

  kill(): void {
    this.ctx.abort('killed by the test');
  }
}

export class DirectoryObject extends Directory {
  override async apply(delivery: Delivery): Promise<Receipt> {
    counts.deliveries++;
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

/** Also one level down, where pages and failures are. */
function withMore(outcome: object): object {
  const parts = Object.entries(outcome).map(([name, part]) => [
    name,
    typeof part === 'object' ? { ...part, ...MORE } : part,
  ]);
  return { ...Object.fromEntries(parts), ...MORE };
}

/** The bindings as the gateway sees them. */
function seenByGateway(env: WorkerEnvironment): WorkerEnvironment {
  const { ACCOUNTS } = env;
  const get = (id: ReturnType<typeof ACCOUNTS.idFromName>) => {
    const stub = ACCOUNTS.get(id) as unknown as Record<string, Method>;
    const methods = METHODS.map(
      (name) => [name, (...given: unknown[]) => called(stub, name, given)] as const,
    );
    return Object.fromEntries<Method>(methods) as unknown as AccountStub;
  };
  const idFromName = (name: string) => ACCOUNTS.idFromName(name);
  return { ...env, ACCOUNTS: { idFromName, get } as unknown as typeof ACCOUNTS };
}

async function called(stub: Record<string, Method>, name: string, [caller, ...rest]: unknown[]) {
  for (const [fault, overloaded] of [
    ['overloads', true],
    ['losses', false],
  ] as const) {
    if (faults[fault] === 0) continue;
    faults[fault]--;
    counts.accountCalls++;
    throw Object.assign(new Error('injected'), { overloaded, retryable: true });
  }
  // As the object of a version before that method would answer.
  const method = name === faults.unknownOperation ? 'notYetInvented' : name;
  const given = faults.gatewayIsNewer
    ? [{ ...(caller as Caller), ...MORE }, ...rest, MORE]
    : [caller, ...rest];
  return stub[method]?.(...given) as Promise<Outcome<unknown>>;
}

function reach(): void {
  counts.directoryCalls++;
  if (faults.directoryIsDown) throw new Error('the directory is down');
}

export default {
  async fetch(request: Request, env: WorkerEnvironment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    switch (pathname) {
      case '/faults':
        Object.assign(faults, await request.json());
        return Response.json(counts);
      case '/kill': {
        const id = env.ACCOUNTS.idFromName(searchParams.get('owner') ?? '');
        const killed = (env.ACCOUNTS.get(id) as unknown as { kill(): Promise<void> }).kill();
        await killed.catch(() => {});
        return new Response();
      }
      case '/deliver-again': {
        const owner = searchParams.get('owner');
        const own = delivered.filter((delivery) => delivery.owner === owner);
        const end = own.length - Number(searchParams.get('but'));
        for (const delivery of own.slice(0, end)) await directoryStub(env).apply(delivery);
        return new Response();
      }
      default:
        return worker.fetch(request, seenByGateway(env));
    }
  },
};
