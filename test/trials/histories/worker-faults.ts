// The faults on Workers: the built Worker in the platform's own runtime on this
// machine, where every account is an object and the operator's views may lag.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../../../scripts/root.js';
import { openIdentityStub } from '../../support/identity-stub.js';
import { workerOptions } from '../../support/worker-host.js';
import type { Change } from '../service/changed-server.js';
import { ADMIN_KEY } from '../service/service-process.js';
import type { Alteration } from './alterations.js';
import { Load } from './load.js';
import type { Amount, Fault } from './node-faults.js';
import { ACCOUNTS, before, type World } from './node-world.js';
import { type Header, newHeader, Recorder } from './recorder.js';

/** With twelve, the checker does not always reach a verdict on views that may lag. */
const CLIENTS = 8;
/** "The accounts' own changes within a second or two", on a machine that others use, too. */
const LAG_MS = 5_000;
/** "Later only while the platform is in trouble": what a killed runtime has not told, an alarm tells. */
const KILLED_LAG_MS = 20_000;

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
  readonly header: Header;
  restarts = 0;
  readonly #options: Options;
  readonly #closeProvider: () => Promise<unknown>;
  #worker: Awaited<ReturnType<typeof startWorkerProcess>> | undefined;
  #origin: Promise<string>;
  #up: (origin: string) => void = () => {};

  private constructor(
    options: Options,
    closeProvider: () => Promise<unknown>,
    lagMs: number,
    clients: number,
  ) {
    this.#options = options;
    this.#closeProvider = closeProvider;
    this.header = newHeader('workers', lagMs);
    this.#origin = this.#down();
    this.load = new Load({
      recorder: this.recorder,
      place: () => this.#origin,
      accounts: ACCOUNTS,
      clients,
    });
  }

  static async open(
    folder: string,
    lagMs: number,
    clients = CLIENTS,
    replaced?: Replaced,
  ): Promise<WorkerWorld> {
    const provider = await openIdentityStub();
    const settings = { AUTH_USERINFO_URL: provider.url, ADMIN_API_KEY: ADMIN_KEY };
    const options = await workerOptions(folder, settings);
    const world = new WorkerWorld(replaced?.(options) ?? options, provider.close, lagMs, clients);
    await world.start();
    Object.assign(world.header, await before(await world.#origin));
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
    await delay(this.header.lagMs);
    await this.load.askings[0]?.accounts();
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

type Replaced = (options: Options) => Options;

async function running(folder: string, { operations, clients }: Amount, replaced?: Replaced) {
  const world = await WorkerWorld.open(folder, LAG_MS, clients, replaced);
  world.load.start();
  await world.load.more(operations);
  return { world, came: '' };
}

export const WORKER_FAULTS: readonly Fault[] = [
  { name: 'none, on Workers', run: (folder, amount) => running(folder, amount) },
  {
    name: 'runtime killed, on Workers',
    async run(folder, { operations, rounds }) {
      const world = await WorkerWorld.open(folder, KILLED_LAG_MS);
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
    const world = await WorkerWorld.open(folder, KILLED_LAG_MS);
    for (let round = 0; round < Math.ceil(rounds / 2); round++) {
      await world.load.makeAndDelete();
      await world.kill();
      await world.start();
      await world.load.makeAndDelete();
    }
    return { world, came: `${Math.ceil(rounds / 2)} times` };
  },
};

/** Changes of the built Worker; controls.test.ts checks the texts against it. */
export const WORKER_DEFECTS: readonly Change[] = [
  {
    name: 'the directory is told half a minute later, on Workers',
    replacements: [
      ['SENDING_INTERVAL_MS = 250', 'SENDING_INTERVAL_MS = 3e4'],
      // Otherwise the alarm, which covers what the interval missed, tells it in time.
      ['ALARM_DELAY_MS = 2e3', 'ALARM_DELAY_MS = 3e4'],
    ],
  },
  {
    name: 'an operator does not wait for the directory, on Workers',
    replacements: [['await this.#tellDirectory()', 'void 0']],
  },
];

/** The Worker with one defect; each is caught by the model of the directory. */
export const WORKER_MUTANTS = WORKER_DEFECTS.map(({ name, replacements }) => ({
  name,
  run: (folder: string, amount: Amount) =>
    running(folder, amount, (options) => {
      const modules = (options.modules as Module[]).map((module) => {
        let contents = module.contents ?? readFileSync(module.path, 'utf8');
        for (const [from, to] of replacements) contents = contents.replaceAll(from, () => to);
        return { ...module, contents };
      });
      return { ...options, modules } as Options;
    }),
}));

type Module = { readonly path: string; readonly contents?: string };

export const WORKER_ALTERATIONS: readonly Alteration[] = [
  {
    name: 'a view stays behind for longer than is promised',
    model: 'directory',
    alter: (operations) => {
      const views = operations.filter(({ kind }) => kind === 'accounts');
      const [first, latest] = [views[0], views.at(-1)];
      if (latest === undefined || first?.accounts === undefined) return false;
      // At the end every account has had other counts than in the beginning.
      latest.accounts = {};
      return true;
    },
  },
  {
    name: 'a view shows counts that never were',
    model: 'directory',
    alter: (operations) => {
      const view = operations.findLast(({ kind }) => kind === 'accounts');
      const counts = view?.accounts?.['alice']?.counts;
      if (counts === undefined) return false;
      counts['orders'] = (counts['orders'] ?? 0) + 100;
      return true;
    },
  },
];
