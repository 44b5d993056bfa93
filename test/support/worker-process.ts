// The built Worker in Miniflare in a process group of its own, so that a test can
// kill all of it at once, as a power cut would.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

export type WorkerProcess = Awaited<ReturnType<typeof startWorkerProcess>>;

/** `options`: of one Worker, or of Miniflare with several. */
export async function startWorkerProcess(options: MiniflareOptions) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    cwd: ROOT,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // Through a pipe: they contain a changed Worker, and one argument has at most 128 KiB.
  child.stdin.end(JSON.stringify(options));
  const exited = once(child, 'exit');
  const failed = exited.then(() => Promise.reject(new Error('the Worker did not start')));
  const [origin] = await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), failed]);
  return {
    origin: String(origin),
    /** Kills Miniflare and the runtime at once: the id of a detached process is also that of its group. */
    async kill() {
      if (child.exitCode === null) process.kill(-Number(child.pid), 'SIGKILL');
      await exited;
    },
  };
}
