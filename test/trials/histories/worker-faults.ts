// The faults on Workers: the built Worker in the platform's own runtime on this
// machine.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from '../../../scripts/root.js';
import { openIdentityStub } from '../../support/identity-stub.js';
import { workerOptions } from '../../support/worker-host.js';
import { ADMIN_KEY } from '../service/service-process.js';
import { type Fault, OneProcess } from './world.js';

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

class WorkerWorld extends OneProcess {
  #options: Options | undefined;
  #worker: Awaited<ReturnType<typeof startWorkerProcess>> | undefined;

  static async open(folder: string): Promise<WorkerWorld> {
    const world = new WorkerWorld('workers', await openIdentityStub());
    const settings = { AUTH_USERINFO_URL: world.provider.url, ADMIN_API_KEY: ADMIN_KEY };
    world.#options = await workerOptions(folder, settings);
    await world.#start();
    return world;
  }

  async restart(): Promise<void> {
    this.goesDown();
    await this.#worker?.kill();
    await this.#start();
  }

  async calm(): Promise<void> {
    this.recorder.closeLost();
  }

  override async close(): Promise<void> {
    await this.#worker?.kill();
    await super.close();
  }

  protected output(): string {
    return '';
  }

  async #start(): Promise<void> {
    if (this.#options === undefined) return;
    this.#worker = await startWorkerProcess(this.#options);
    this.isUp(this.#worker.origin);
  }
}

export const WORKER_FAULTS: readonly Fault[] = [
  {
    name: 'runtime killed, on Workers',
    async run(folder, amount) {
      const world = await WorkerWorld.open(folder);
      return world.rounds(amount, () => world.restart());
    },
  },
];

/** The object forgets what it knew, and its newest record is gone. */
export const WORKER_NEWEST_DELETED: Fault = {
  name: 'restarts after the newest record is deleted, on Workers',
  async run(folder, amount) {
    const world = await WorkerWorld.open(folder);
    return world.newestDeleted(amount, () => world.restart());
  },
};
