// A service of one process and its faults: the built server, and the built Worker in the platform's own
// runtime on this machine.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../../../scripts/root.js';
import { openIdentityStub } from '../../support/identity-stub.js';
import { type Program, startProgram } from '../../support/program.js';
import { spawnServer } from '../../support/server-process.js';
import { workerOptions } from '../../support/worker-host.js';
import { tracerIsMissing } from '../disk/trace.js';
import type { Header } from '../load/recorder.js';
import { settingsOf } from '../service/client.js';
import { type Amount, Deployment, type Fault, type Faulted } from './deployment.js';

const CLIENTS = 12;
const SLOW_SYNCS = 'inject=fsync,fdatasync:delay_exit=20000';
/** The first sync of a thread that fails, and after how many the next one does. */
const FAILING_SYNCS = 'inject=fsync,fdatasync:error=EIO:when=25+40';
/** Consecutive kills during a start, in each round. */
const KILLED_STARTS = 4;

/** Reads its options through a pipe: they contain the Worker, and one argument has at most 128 KiB. */
const MINIFLARE = `
  import { text } from 'node:stream/consumers';
  import { Miniflare } from 'miniflare';
  const miniflare = new Miniflare(JSON.parse(await text(process.stdin)));
  const { origin } = await miniflare.ready;
  process.stdout.write(origin + '\\n');
`;

/** A command that runs the server; it must let the server keep its process id. */
type Under = readonly string[];
type Service = Program & { listening(): Promise<string> };

/** Its clients wait while it is down. */
class OneProcess extends Deployment {
  service!: Service;
  #spawn: (under?: Under) => Service = () => this.service;
  #up: (origin: string) => void = () => {};
  #origin = this.#gate();

  static async open(
    host: Header['host'],
    folder: string,
    { clients = CLIENTS }: Pick<Amount, 'clients'>,
    usually: Under = [],
  ): Promise<OneProcess> {
    const deployment = new OneProcess(host, await openIdentityStub(), clients);
    const settings = settingsOf(join(folder, 'service.db'), deployment.provider);
    if (host === 'node') {
      deployment.#spawn = (under = usually) => spawnServer(settings, { under });
    } else {
      const { DATABASE_URL: _, ...vars } = settings;
      const input = JSON.stringify(await workerOptions(folder, vars));
      const command = [process.execPath, '--input-type=module', '--eval', MINIFLARE];
      deployment.#spawn = () => {
        // Its own process group, so that all of it is killed at once, as a power cut would.
        const program = startProgram(command, { cwd: root, input, isGroup: true });
        return { ...program, listening: () => program.saw(/^(http:\S+)\n/) };
      };
    }
    await deployment.start();
    return deployment;
  }

  originFor(): Promise<string> {
    return this.#origin;
  }

  async start(under?: Under): Promise<void> {
    this.service = this.#spawn(under);
    const origin = await this.service.listening();
    // A dead process makes no more writes.
    this.recorder.close();
    this.#up(origin);
  }

  /** Ends it, by a signal or because it has ended by itself. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#goesDown();
    await this.service.stop(signal);
  }

  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.end(signal);
    await this.start();
  }

  /** Stops it, and kills it this many milliseconds later, as it drains or writes its log back. */
  async killStopping(afterMs: number): Promise<void> {
    this.#goesDown();
    this.service.child.kill('SIGTERM');
    await delay(afterMs);
    await this.service.stop('SIGKILL');
  }

  /** Starts it and kills it this many milliseconds later: it recovers what the last kill left. */
  async killStarting(afterMs: number): Promise<void> {
    const starting = this.#spawn();
    await delay(afterMs);
    await starting.stop('SIGKILL');
    this.restarts++;
  }

  async calm(): Promise<void> {
    if (!this.service.isRunning()) await this.restart('SIGKILL');
    this.recorder.close();
  }

  override async close(): Promise<void> {
    await this.service.stop('SIGKILL');
    await super.close();
  }

  protected output(): string {
    return this.service.output();
  }

  #goesDown(): void {
    this.#origin = this.#gate();
    this.restarts++;
  }

  #gate(): Promise<string> {
    return new Promise((resolve) => {
      this.#up = resolve;
    });
  }
}

const restarted =
  (host: Header['host'], signal: NodeJS.Signals): Fault['run'] =>
  async (folder, amount) => {
    const deployment = await OneProcess.open(host, folder, amount);
    return deployment.rounds(amount, () => deployment.restart(signal));
  };

/** The newest record is deleted before each restart, so nothing but the storage knows its id. */
const newestDeleted = (host: Header['host'], where = ''): Fault => ({
  name: `restarts after the newest record is deleted${where}`,
  models: ['ids'],
  async run(folder, amount) {
    const deployment = await OneProcess.open(host, folder, amount);
    for (let round = 0; round < amount.rounds; round++) {
      await deployment.load.makeAndDelete();
      await deployment.restart('SIGKILL');
      await deployment.load.makeAndDelete();
    }
    return { deployment, came: `${amount.rounds} times` };
  },
});

export const NO_FAULT: Fault = {
  name: 'none',
  async run(folder, amount) {
    const deployment = await OneProcess.open('node', folder, amount);
    return { ...(await deployment.rounds(amount)), came: '' };
  },
};

/** The faults that need no tracer. */
export const RESTARTS: readonly Fault[] = [
  NO_FAULT,
  { name: 'kill -9', run: restarted('node', 'SIGKILL') },
  { name: 'kill -9 while stopping and while starting', run: cutShort },
  newestDeleted('node'),
];

export const NODE_FAULTS: readonly Fault[] = [
  ...RESTARTS,
  { name: 'stops and starts', run: restarted('node', 'SIGTERM') },
  ...Object.entries({ 'failing syncs': FAILING_SYNCS, 'slow syncs': SLOW_SYNCS }).map(
    ([name, inject]): Fault => ({
      name,
      missing: tracerIsMissing,
      run: (folder, amount) => traced(inject, folder, amount),
    }),
  ),
];
export const WORKER_FAULTS: readonly Fault[] = [
  { name: 'runtime killed, on Workers', run: restarted('workers', 'SIGKILL') },
  newestDeleted('workers', ', on Workers'),
];

/** The kills are spread over the duration of a stop and of a start on this machine. */
async function cutShort(folder: string, amount: Amount): Promise<Faulted> {
  const { rounds } = amount;
  const deployment = await OneProcess.open('node', folder, amount);
  const stopMs = await timeOf(() => deployment.end('SIGTERM'));
  const startMs = await timeOf(() => deployment.start());
  await deployment.rounds(amount, async (round) => {
    await deployment.killStopping((stopMs * (round + 1)) / (rounds + 1));
    for (let start = 1; start <= KILLED_STARTS; start++) {
      await deployment.killStarting((startMs * (start - round / rounds)) / KILLED_STARTS);
    }
    await deployment.start();
  });
  const came = `${rounds} times while stopping, ${rounds * KILLED_STARTS} while starting`;
  return { deployment, came };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function traced(inject: string, folder: string, amount: Amount): Promise<Faulted> {
  const tracer = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'];
  const under = [...tracer, '-e', 'trace=fsync,fdatasync', '-e', inject];
  const deployment = await OneProcess.open('node', folder, amount, under);
  deployment.load.start();
  let ends = 0;
  while (deployment.recorder.operations.length < amount.operations / 2) {
    await delay(20);
    if (deployment.service.isRunning()) continue;
    // "Reload or stop rather than go on": it is restarted, now without the fault.
    ends++;
    await deployment.end('SIGKILL');
    await deployment.start([]);
  }
  if (inject === FAILING_SYNCS && ends === 0) throw new Error('no failed sync ended the service');
  return { deployment, came: inject === FAILING_SYNCS ? `${ends} times` : '' };
}
