// One service as a process: start, signals, exit codes.

import type { Log } from '../../core/log.js';
import type { Service } from './service.js';
import { ignoreStraySignals } from './stray-signals.js';

/**
 * If the process is to end at once, the storage thread counts as hanging after this time
 * without an answer.
 */
const STORAGE_ANSWER_MAX_MS = 100;

/**
 * Makes every output of this process one JSON line, also the output and the warnings of
 * libraries and uncaught errors. An uncaught error ends the process, because some work may
 * be half done.
 */
export function captureStrayOutput(log: Log): void {
  const capture = (...values: readonly unknown[]) => {
    const [first] = values;
    log.warn('console_output', { text: first instanceof Error ? first.message : String(first) });
  };
  for (const method of ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir'] as const) {
    console[method] = capture;
  }
  // Node's own listener would print, too.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    log.warn('process_warning', { text: `${name}: ${message}` });
  });
  process.on('uncaughtException', (error) => {
    log.error('process_failed', error);
    process.exit(1);
  });
}

/**
 * Runs a service until SIGTERM or SIGINT, then stops it and exits with 0; a
 * second signal ends the process at once, even if the storage thread hangs.
 * SIGUSR2 takes a backup, SIGUSR1 and SIGHUP do nothing; with
 * `hangUpEnds`, for a program that belongs to a terminal, SIGHUP stops it. A service
 * that cannot start ends the process with exit code 1 and one line; lost
 * storage with exit code 1 after the answers under way.
 */
export async function runService(
  log: Log,
  start: (onStorageLost: () => void) => Promise<Service>,
  { hangUpEnds = false } = {},
): Promise<Service> {
  let service: Service | undefined;
  let backUpOnceStarted = false;
  let stopping = false;
  let signalled = false;
  let exitCode = 0;

  async function stop(reason: string, code: number): Promise<void> {
    exitCode = Math.max(exitCode, code);
    // If storage is lost during the stop, the stop has another exit code.
    if (stopping) return;
    stopping = true;
    log.info('stopping', { reason });
    try {
      await service?.stop();
    } catch (error) {
      log.error('stop_failed', error);
      process.exit(1);
    }
    log.info('stopped');
    process.exit(exitCode);
  }

  ignoreStraySignals(log, hangUpEnds ? ['SIGUSR1'] : ['SIGUSR1', 'SIGHUP']);
  // Without a listener this signal would end the process.
  process.on('SIGUSR2', () => {
    if (service === undefined) backUpOnceStarted = true;
    else service.backUp();
  });
  const ending = ['SIGTERM', 'SIGINT', ...(hangUpEnds ? ['SIGHUP'] : [])];
  for (const signal of ending) {
    process.on(signal, () => {
      if (signalled) endAtOnce(service);
      signalled = true;
      void stop(signal, 0);
    });
  }
  try {
    service = await start(() => void stop('storage_lost', 1));
  } catch (error) {
    log.error('start_failed', reasonOf(error));
    process.exit(1);
  }
  const { operationsOrigin } = service;
  log.info('started', {
    address: service.origin,
    ...(operationsOrigin !== undefined && { operations: operationsOrigin }),
    ...service.facts,
  });
  if (backUpOnceStarted) service.backUp();
  return service;
}

/**
 * Ends with exit code 1. `process.exit` waits for the native calls of all threads; if a
 * disk hangs, for ever. So if the storage thread does not answer, the process kills itself.
 */
function endAtOnce(service: Service | undefined): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STORAGE_ANSWER_MAX_MS);
  void service?.storageAnswers().then(() => process.exit(1));
}

/** A sentence for the operator, without a stack trace: the cause is a setting or a file. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
