// Starts the benchmark's processes, each in its own process group, so that none is left behind if the
// benchmark fails.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 20_000;
/** Linux counts a process's time in hundredths of a second, whatever the kernel's own tick. */
const MICROSECONDS_A_TICK = 10_000;
const OUTPUT_MAX_CHARACTERS = 1_000_000;

/**
 * @typedef {object} Started
 * @property {number} pid
 * @property {(wanted: RegExp) => Promise<RegExpExecArray>} waitForOutput Resolves when the output matches; rejects when the process ends without it.
 * @property {() => Promise<string>} ended Resolves with the output when it exits with 0; rejects otherwise.
 * @property {() => Promise<void>} stop Sends SIGTERM to the group, SIGKILL after a time-out; resolves when no process is left.
 */

/** @type {Set<number>} */
const groups = new Set();

/** Ends every running process at once, except one that is still needed. */
export function killAllProcesses(/** @type {Started | undefined} */ spared = undefined) {
  for (const group of groups) {
    if (group === spared?.pid) continue;
    signal(group, 'SIGKILL');
    groups.delete(group);
  }
}

/** Starts a script of this folder on this Node. */
export function startScript(
  /** @type {string} */ script,
  /** @type {readonly string[]} */ args = [],
) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return startProcess(process.execPath, [path, ...args]);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [environment]
 * @returns {Started}
 */
export function startProcess(command, args, environment = {}) {
  const child = spawn(command, args, {
    detached: true,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid ?? 0;
  if (pid !== 0) groups.add(pid);
  const text = { stdout: '', stderr: '' };
  /** @type {Set<() => void>} */
  const watchers = new Set();
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
      if (text[name].length < OUTPUT_MAX_CHARACTERS) text[name] += chunk;
      notify();
    });
  }
  /** @type {Promise<number | null>} */
  const exited = new Promise((resolve) => {
    child.once('error', ({ message }) => {
      text.stderr += message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  let isOver = false;
  void exited.then(() => {
    isOver = true;
    notify();
  });
  const failure = () =>
    new Error(`${command} ${args.join(' ').slice(0, 200)} failed:\n${text.stderr || text.stdout}`);
  return {
    pid,
    waitForOutput: (wanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(failure()), START_TIMEOUT_MS);
        const check = () => {
          const match = wanted.exec(text.stdout);
          if (match === null && !isOver) return;
          watchers.delete(check);
          clearTimeout(timer);
          if (match === null) reject(failure());
          else resolve(match);
        };
        watchers.add(check);
        check();
      }),
    async ended() {
      const code = await exited;
      groups.delete(pid);
      if (code !== 0) throw failure();
      return text.stdout;
    },
    stop: () => stopGroup(pid),
  };
}

/** Waits for the whole group, because a process may outlive the one that started it. */
async function stopGroup(/** @type {number} */ group) {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  for (let wanted = signal(group, 'SIGTERM'); wanted; wanted = signal(group, 0)) {
    if (performance.now() > deadline) signal(group, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  groups.delete(group);
}

/** False when no process is left in the group. */
function signal(/** @type {number} */ group, /** @type {NodeJS.Signals | 0} */ name) {
  try {
    process.kill(-group, name);
    return true;
  } catch {
    return false;
  }
}

/** Processor time of a process so far, in microseconds; undefined if the system does not say. */
export function cpuMicrosecondsOf(/** @type {number} */ pid) {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  // The command's name, in parentheses, may contain anything, so the fields are counted from its end.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined) return undefined;
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_A_TICK;
}

/** Resident memory of a process in bytes: current and peak. */
export function memoryOf(/** @type {number} */ pid) {
  const status = readOrUndefined(`/proc/${pid}/status`) ?? '';
  const kilobytes = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return { resident: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 };
}

function readOrUndefined(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
