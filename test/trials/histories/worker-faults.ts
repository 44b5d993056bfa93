// The faults on Workers: the built Worker in the platform's own runtime on this
// machine.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from '../../../scripts/root.js';
import { openIdentityStub } from '../../support/identity-stub.js';
import { workerOptions } from '../../support/worker-host.js';
import { ADMIN_KEY } from '../service/service-process.js';
import { Load } from './load.js';
import type { Amount, Fault } from './node-faults.js';
import { ACCOUNTS, type World } from './node-world.js';
import { type Header, Recorder } from './recorder.js';

const CLIENTS = 12;

type Options = Awaited<ReturnType<typeof workerOptions>>;

/** Reads its options through a pipe: they contain a changed Worker, and one argument has at most 128 KiB. */
const MINIFLARE = `
  import { text } from 'node:stream/consumers';
  import { Miniflare } from 'miniflare';
  const miniflare = new Miniflare(JSON.parse(await text(process.stdin)));
  const { origin } = await miniflare.ready;
  process.stdout.write(origin);
`;

/** Starts Miniflare in a process group of its own, so that all of it can be killed at once, as a power cut would. */
async function startWorkerProcess(options: Options) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', MINIFLARE], {
    cwd: root,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.end(JSON.stringify(options));
  const exited = once(child, 'exit');
  const failed = exited.then(() => Promise.reject(new Error('the Worker did not start')));
  const [origin] = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), failed]);
  const kill = async () => {
    // The id of a detached process is also that of its group.
    if (child.exitCode === null) process.kill(-Number(child.pid), 'SIGKILL');
    await exited;
  };
  return { origin: String(origin), kill };
}

class WorkerWorld implements World {
  readonly recorder = new Recorder();
  readonly load: Load;
  readonly header: Header = { host: 'workers', audit: true };
  restarts = 0;
  readonly #options: Options;
  readonly #closeProvider: () => Promise<unknown>;
  #worker: Awaited<ReturnType<typeof startWorkerProcess>> | undefined;
  #origin: Promise<string>;
  #up: (origin: string) => void = () => {};

  private constructor(options: Options, closeProvider: () => Promise<unknown>, clients: number) {
    this.#options = options;
    this.#closeProvider = closeProvider;
    this.#origin = this.#down();
    this.load = new Load({
      recorder: this.recorder,
      place: () => this.#origin,
      accounts: ACCOUNTS,
      clients,
    });
  }

  static async open(folder: string, clients = CLIENTS): Promise<WorkerWorld> {
    const provider = await openIdentityStub();
    const settings = { AUTH_USERINFO_URL: provider.url, ADMIN_API_KEY: ADMIN_KEY };
    const options = await workerOptions(folder, settings);
    const world = new WorkerWorld(options, provider.close, clients);
    await world.start();
    return world;
  }

  async start(): Promise<void> {
    this.#worker = await startWorkerProcess(this.#options);
    this.recorder.closeLost();
    this.#up(this.#worker.origin);
  }

  async kill(): Promise<void> {
    this.#origin = this.#down();
    await this.#worker?.kill();
    this.restarts++;
  }

  async settle(): Promise<void> {
    await this.load.stop();
    this.recorder.closeLost();
    await this.load.readAll();
  }

  async close(): Promise<void> {
    this.load.close();
    await this.#worker?.kill();
    await this.#closeProvider();
  }

  #down(): Promise<string> {
    return new Promise((resolve) => {
      this.#up = resolve;
    });
  }
}

async function running(folder: string, { operations, clients }: Amount) {
  const world = await WorkerWorld.open(folder, clients);
  world.load.start();
  await world.load.more(operations);
  return { world, came: '' };
}

export const WORKER_FAULTS: readonly Fault[] = [
  { name: 'none, on Workers', run: (folder, amount) => running(folder, amount) },
  {
    name: 'runtime killed, on Workers',
    async run(folder, { operations, rounds }) {
      const world = await WorkerWorld.open(folder);
      world.load.start();
      for (let round = 0; round < rounds; round++) {
        await world.load.more(operations / rounds);
        await world.kill();
        await world.start();
      }
      return { world, came: `${rounds} times` };
    },
  },
];

/** The identifiers' own run: the object forgets what it knew, and its newest record is gone. */
export const WORKER_NEWEST_DELETED: Fault = {
  name: 'restarts after the newest record is deleted, on Workers',
  async run(folder, { rounds }) {
    const world = await WorkerWorld.open(folder);
    for (let round = 0; round < Math.ceil(rounds / 2); round++) {
      await world.load.makeAndDelete();
      await world.kill();
      await world.start();
      await world.load.makeAndDelete();
    }
    return { world, came: `${Math.ceil(rounds / 2)} times` };
  },
};
