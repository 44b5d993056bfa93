// Runs one service as a process: log, start, signals, exit codes.

import { errorText, type Log, type LogFields } from '../../core/log.js';
import { messageOf } from '../../storage/file/connection-errors.js';
import type { Service } from './service.js';

/**
 * Signals that an operator may send by mistake. By default, SIGUSR1 (a typo of SIGUSR2, which takes a
 * backup) makes Node open a debugger without a password, and SIGHUP ends the process without draining,
 * which systemd treats as a clean exit.
 */
const STRAY_SIGNALS = {
  SIGUSR1: 'ignored; SIGUSR2 takes a backup',
  SIGHUP: 'ignored; settings are read at the start only, and SIGTERM stops the service',
};

/** A commit failed, and it is unknown what is stored until the next start reads it. The systemd unit restarts on it. */
export const STORAGE_LOST_EXIT_CODE = 74;

/** Writes one JSON line for each event, by default errors and warnings to standard error. */
export function jsonLog(problems: NodeJS.WritableStream = process.stderr): Log {
  // Without this listener, a closed pipe or a full disk would end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const write = (level: 'info' | 'warn' | 'error', event: string, fields?: LogFields) => {
    const stream = level === 'info' ? process.stdout : problems;
    const time = new Date().toISOString();
    stream.write(`${JSON.stringify({ time, level, event, ...fields })}\n`);
  };
  return {
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, error, fields) => write('error', event, { ...fields, error: errorText(error) }),
  };
}

/** Logs Node's warnings and uncaught errors. An uncaught error ends the process, because some work may be half done. */
export function logWarningsAndCrashes(log: Log): void {
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
 * Runs a service until SIGTERM or SIGINT, then stops it and exits with 0; a second signal kills
 * the process at once. SIGUSR2 takes a backup; SIGUSR1 and SIGHUP are ignored. If the service can't
 * start, logs one line and exits with 1. If storage is lost, exits with 74 after the responses in
 * progress.
 */
export async function runService(
  log: Log,
  start: (onStorageLost: () => void) => Promise<Service>,
): Promise<void> {
  let service: Service | undefined;
  let signals = 0;
  let exitCode: number | undefined;

  async function stop(reason: string, code: number): Promise<void> {
    const isStopping = exitCode !== undefined;
    // Storage may be lost during the stop, which then has that exit code.
    exitCode = Math.max(exitCode ?? 0, code);
    if (isStopping) return;
    log.info('stopping', { reason });
    try {
      await service?.stop();
      log.info('stopped');
    } catch (error) {
      log.error('stop_failed', error);
      exitCode ||= 1;
    }
    process.exit(exitCode);
  }

  for (const [signal, hint] of Object.entries(STRAY_SIGNALS)) {
    process.on(signal, () => log.warn('signal_ignored', { signal, hint }));
  }
  // Without a listener this signal would end the process.
  process.on('SIGUSR2', () => service?.backUp());
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      // `process.exit` would wait for native calls in all threads, forever if a disk hangs.
      if (++signals > 1) process.kill(process.pid, 'SIGKILL');
      void stop(signal, 0);
    });
  }
  try {
    service = await start(() => void stop('storage_lost', STORAGE_LOST_EXIT_CODE));
  } catch (error) {
    // Omits the stack trace, because the cause is a setting or a file.
    log.error('start_failed', messageOf(error));
    process.exit(1);
  }
  const { origin: address, operationsOrigin: operations, logFields } = service;
  log.info('started', { address, ...(operations !== undefined && { operations }), ...logFields });
}
