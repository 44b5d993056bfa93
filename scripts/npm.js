// Runs npm: the one that runs this process, or the one that this machine has.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LOOK_EVERY_MS = 1_000;
/** `npm start`, the shell between, and this process. */
const ANCESTORS_MAX = 3;

/**
 * Runs npm and waits for its end. Through Node where its program is known: on Windows
 * `npm.cmd` is a batch file, which Node no longer starts without a shell (EINVAL).
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
export function runNpm(args, options) {
  return spawnSync(...npmCommand(args), options);
}

/**
 * The same, resolving with npm's exit code or an error message. It does not outlive this
 * process: npm itself keeps running for seconds after Ctrl-C.
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<number | string | null>}
 */
export function npmEnd(args, options) {
  const child = spawn(...npmCommand(args), options);
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', resolve);
  }).finally(() => process.off('exit', kill));
}

/**
 * The npm that runs this process, else the one installed with Node on Windows, else the one on PATH.
 * @param {readonly string[]} args
 * @returns {[command: string, args: readonly string[]]}
 */
function npmCommand(args) {
  const beside = join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js');
  // Another package manager names its own program there.
  const program = [process.env['npm_execpath'], beside].find(
    (path) => path !== undefined && /npm-cli\.js$/.test(path) && existsSync(path),
  );
  return program === undefined ? ['npm', args] : [process.execPath, [program, ...args]];
}

/**
 * Stops this process, as SIGTERM does, soon after the npm that runs it has ended. npm passes no
 * signal on, so a killed `npm start` would leave the service, and its port, behind.
 */
export function endWithNpm() {
  const npm = npmAbove(process.ppid);
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** The id of the nearest ancestor that is npm; undefined if none is, or `ps` is not POSIX-compliant. @param {number} start */
function npmAbove(start) {
  let pid = start;
  for (let level = 0; level < ANCESTORS_MAX && pid > 1; level++) {
    const { stdout } = spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], {
      encoding: 'utf8',
    });
    const [, parent, args = ''] = /^\s*(\d+)\s+(.*)/.exec(stdout ?? '') ?? [];
    if (/^npm\b|npm-cli\.js/.test(args)) return pid;
    pid = Number(parent ?? 0);
  }
  return undefined;
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
