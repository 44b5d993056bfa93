// Monitoring of one service on Node: collects its metrics, serves the operations port, and writes the
// request log.

import type { Log } from '../../core/log.js';
import { Meter } from '../operations/meter.js';
import { metricsText } from '../operations/metrics.js';
import { probeStorage, readinessOf, withTimeout } from '../operations/readiness.js';
import { openRequestLog } from '../operations/request-log.js';
import { backupStatus, figuresOf, type StatusSources } from '../operations/status.js';
import type { Settings } from '../settings.js';
import { openOperationsPort, type Pages } from './operations-port.js';
import { diskUsage, eventLoopDelays, NO_DISK, processUsage } from './system-metrics.js';

/** Opens the port if the settings name one. Rejects if its address cannot be used. */
export async function openOperations(settings: Settings, version: string, log: Log) {
  const { port, requestLog } = settings.operations;
  const { postgresUrl, databasePath, backups: plan } = settings;
  const hasProvider = settings.signIn !== undefined;
  const build = { version, runtime: `node ${process.version}` };
  // If the pipe is closed or the disk is full, only these lines are lost.
  const print = (lines: string) =>
    new Promise<void>((resolve) => void process.stdout.write(lines, () => resolve()));
  const meter = new Meter(requestLog && openRequestLog(requestLog.fromMs, print));
  let sources: StatusSources | undefined;
  let isStopping = false;
  const storage = withTimeout(async () => !sources || probeStorage(sources.storage, meter), false);
  const disk = withTimeout(async () => (postgresUrl ? NO_DISK : diskUsage(databasePath)), NO_DISK);
  const backupFiles = withTimeout(async () => sources?.backups?.files(), undefined);
  const status = async () => {
    // Read once: a start that completes during the probes would show storage without backups.
    const started = sources;
    const probes = [storage(), disk(), backupFiles(), processUsage()] as const;
    const [isStorageReachable, database, files, process] = await Promise.all(probes);
    const backups = started && plan ? backupStatus(plan, meter, files) : null;
    const figures = figuresOf(meter, started, { ...build, database, process }, backups);
    const { isStorageLost } = meter;
    const isStarted = started !== undefined;
    const state = { isStarted, isStopping, isStorageLost, isStorageReachable, hasProvider };
    return { ...readinessOf(figures, state), ...figures };
  };
  const delays = eventLoopDelays();
  setInterval(() => meter.requests.tick(), 60_000).unref();
  const pages: Pages = {
    'GET /live': () => [200, { live: true }],
    async 'GET /ready'() {
      const { ready, reasons, warnings } = await status();
      return [ready ? 200 : 503, { ready, reasons, warnings }];
    },
    'GET /metrics': async () => [200, metricsText(await status(), meter, delays)],
    'GET /status': async () => [200, await status()],
  };
  const opsPort = port && (await openOperationsPort(port, pages, log));
  return {
    /** Receives the events of the service's parts; undefined if nothing is measured. */
    events: port === undefined && requestLog === undefined ? undefined : meter,
    /** `http://ADDRESS:PORT`; undefined if there is no port. */
    origin: opsPort?.origin,
    started(all: StatusSources) {
      sources = all;
    },
    /** From now on, `/ready` says so. */
    stopping() {
      isStopping = true;
    },
    async close() {
      await meter.requestLog?.flush();
      opsPort?.close();
    },
  };
}
