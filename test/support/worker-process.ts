// The built Worker in Miniflare in a process group of its own, so that a test can
// kill all of it at once, as a power cut would.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { MiniflareOptions } from 'miniflare';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = `
  import { text } from 'node:stream/consumers';
  import { Miniflare } from 'miniflare';
  const miniflare = new Miniflare(JSON.parse(await text(process.stdin)));
  const { origin } = await miniflare.ready;
  process.stdout.write(origin);
`;

export interface WorkerProcess {
  readonly origin: string;
  /** Kills Miniflare and the runtime at once. */
  kill(): Promise<void>;
}

/** `options`: of one Worker, or of Miniflare with several. */
export async function startWorkerProcess(options: MiniflareOptions): Promise<WorkerProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    cwd: ROOT,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // The options go through a pipe: they contain a changed Worker, and one argument has at most 128 KiB.
  child.stdin.end(JSON.stringify(options));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve);
    void exited.then(() => reject(new Error('the Worker did not start')));
  });
  return {
    origin,
    async kill() {
      killGroup(child);
      await exited;
    },
  };
}

/** The id of a detached process is also the id of its group, which includes the runtime. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
