// One service as a process: start, signals, exit codes.

import type { Log } from '../log.js';
import type { Service } from './service.js';

/**
 * Makes everything this process prints one JSON line, whatever a library prints,
 * warns of or leaves uncaught. The last ends the process: nobody knows what was
 * left half done.
 */
export function captureStrayOutput(log: Log): void {
  const capture = (...values: readonly unknown[]) => {
    const [first] = values;
    log.warn('console_output', { text: first instanceof Error ? first.message : String(first) });
  };
  for (const method of ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir'] as const) {
    console[method] = capture;
  }
  // Node's own listener prints.
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
 * second signal ends the process at once. SIGUSR2 takes a backup. A service
 * that cannot start ends the process with exit code 1 and one line; lost
 * storage with exit code 1 after the answers under way.
 */
export async function runService(
  log: Log,
  start: (onStorageLost: () => void) => Promise<Service>,
): Promise<Service> {
  let service: Service | undefined;
  let backUpOnceStarted = false;
  let stopping = false;
  let signalled = false;
  let exitCode = 0;

  async function stop(reason: string, code: number): Promise<void> {
    exitCode = Math.max(exitCode, code);
    // Storage that is lost while stopping changes the exit code of that stop.
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

  // Without a listener it would end the process.
  process.on('SIGUSR2', () => {
    if (service === undefined) backUpOnceStarted = true;
    else service.backUp();
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (signalled) process.exit(1);
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
  });
  if (backUpOnceStarted) service.backUp();
  return service;
}

/** A sentence for the operator, without the place in the code: it is their setting or their file. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
