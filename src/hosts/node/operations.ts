// The operations side of one service on Node: measures the service, answers on the
// operations port, and writes the request log.

import type { Log } from '../../core/log.js';
import { Meter } from '../operations/meter.js';
import { metricsText } from '../operations/metrics.js';
import { answers, readinessOf, withTimeout } from '../operations/readiness.js';
import { openRequestLog } from '../operations/request-log.js';
import { backupStatus, figuresOf, type StatusSources } from '../operations/status.js';
import type { Settings } from '../settings.js';
import { openOperationsPort, type Pages } from './operations-port.js';
import { diskUsage, eventLoopDelays, NO_DISK, processUsage } from './system-metrics.js';

/** The same version as in the OpenAPI document. */
export const VERSION = '0.1.0';
const BUILD = { version: VERSION, runtime: `node ${process.version}` };

/** Opens the port if the settings name one. Rejects if its address cannot be used. */
export async function openOperations(settings: Settings, log: Log) {
  const { port, requestLog } = settings.operations;
  const { postgresUrl, databasePath, backups: plan } = settings;
  const hasProvider = settings.signIn !== undefined;
  // A closed pipe or a full disk loses only these lines.
  const print = (lines: string) =>
    new Promise<void>((resolve) => void process.stdout.write(lines, () => resolve()));
  const meter = new Meter(requestLog && openRequestLog(requestLog.fromMs, print));
  let parts: StatusSources | undefined;
  let isStopping = false;
  const storage = withTimeout(async () => !parts || answers(parts.storage, meter), false);
  const disk = withTimeout(async () => (postgresUrl ? NO_DISK : diskUsage(databasePath)), NO_DISK);
  const kept = withTimeout(async () => parts?.backups?.files(), undefined);
  const status = async () => {
    // Read once: a start that ends in the meantime would otherwise show storage without backups.
    const held = parts;
    const asked = [storage(), disk(), kept(), processUsage()] as const;
    const [isStorageReachable, database, files, process] = await Promise.all(asked);
    const backups = held && plan ? backupStatus(plan, meter, files) : null;
    const figures = figuresOf(meter, held, { ...BUILD, database, process }, backups);
    const { isStorageLost } = meter;
    const isStarted = held !== undefined;
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
  const opened = port && (await openOperationsPort(port, pages, log));
  return {
    /** Receives the events of the service's parts; undefined if nothing is measured. */
    events: port === undefined && requestLog === undefined ? undefined : meter,
    /** `http://ADDRESS:PORT`; undefined if there is no port. */
    origin: opened?.origin,
    started(all: StatusSources) {
      parts = all;
    },
    /** From now on, `/ready` says so. */
    stopping() {
      isStopping = true;
    },
    async close() {
      await meter.requestLog?.flush();
      opened?.close();
    },
  };
}
