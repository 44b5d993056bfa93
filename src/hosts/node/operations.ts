// The operations side of one service on Node: measures the service, answers on the
// operations port, and writes the request log.

import type { FairScheduler } from '../../core/admission/fair-scheduler.js';
import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { BackupSchedule, SizedBackup } from '../../storage/backup/backup-schedule.js';
import { Meter } from '../operations/meter.js';
import { metricsText } from '../operations/metrics.js';
import { type AskedStorage, Readiness } from '../operations/readiness.js';
import { RequestLog } from '../operations/request-log.js';
import { type Figures, timeOf } from '../operations/status.js';
import type { Settings } from '../settings.js';
import type { Connections } from './connections.js';
import { diskFacts, latest, NO_DISK, processFacts, sampledDelays } from './machine-figures.js';
import { openOperationsPort, type Pages } from './operations-port.js';

/** The same version as in the OpenAPI document. */
export const VERSION = '0.1.0';

export type ReplicaFacts = Omit<NonNullable<Figures['replication']>, 'failures'>;

/** The parts of a started service; undefined if this service has no such part. */
export interface StartedParts {
  readonly storage: AskedStorage;
  /** Records in the memory of this process. */
  readonly inMemory?: Pick<OpenRecords, 'writesWaiting' | 'counts' | 'accountCount'>;
  readonly connections: Pick<Connections, 'count' | 'requestCount'>;
  readonly backups?: BackupSchedule | undefined;
  readonly replica?: { readonly facts: ReplicaFacts } | undefined;
  readonly postgres?: () => Figures['postgres'];
  readonly scheduler: FairScheduler;
}

/** Opens the port if the settings name one. Rejects if its address cannot be used. */
export async function openOperations(settings: Settings, log: Log) {
  const { port, requestLog } = settings.operations;
  const meter = new Meter(requestLog && new RequestLog(requestLog.fromMs, print));
  const readiness = new Readiness(meter, settings.signIn !== undefined);
  const { postgresUrl, databasePath } = settings;
  const disk = latest(async () => (postgresUrl ? NO_DISK : diskFacts(databasePath)), NO_DISK);
  let parts: StartedParts | undefined;
  const kept = latest(async () => parts?.backups?.files().catch(() => undefined), undefined);
  const status = async () => {
    // Read once: a start that ends in the meantime would otherwise show storage without backups.
    const held = parts;
    const [database, list] = [await disk(), await kept()];
    const isUnderWay = held?.backups?.isUnderWay === true;
    const plan = held && settings.backups;
    const backups = plan ? backupFacts(plan, meter, isUnderWay, list) : null;
    const facts = await factsOf(meter, held, { database, backups });
    return { ...(await readiness.answer(facts, held?.storage)), ...facts };
  };
  const delays = sampledDelays();
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
    started(all: StartedParts) {
      parts = all;
    },
    /** From now on, `/ready` says so. */
    stopping: () => readiness.stopping(),
    async close() {
      await meter.requestLog?.flush();
      opened?.close();
    },
  };
}

async function factsOf(
  meter: Meter,
  parts: StartedParts | undefined,
  stored: Pick<Figures, 'database' | 'backups'>,
): Promise<Figures> {
  const { inMemory, connections, replica } = parts ?? {};
  return {
    version: VERSION,
    runtime: `node ${process.version}`,
    started_at: new Date(performance.timeOrigin).toISOString(),
    requests: {
      ...meter.requests.totals,
      in_flight: connections?.requestCount ?? null,
      connections: connections?.count ?? null,
      heavy_work: parts ? parts.scheduler.waiting : null,
    },
    last_hour: meter.requests.lastHour,
    writes: { waiting: inMemory?.writesWaiting ?? null, ...meter.writes },
    records: inMemory?.counts() ?? null,
    accounts: inMemory?.accountCount ?? null,
    identity: meter.identity,
    admin_keys: meter.adminKeys,
    replication: replica ? { ...replica.facts, failures: meter.replicaFailures } : null,
    postgres: parts?.postgres?.() ?? null,
    process: await processFacts(),
    ...stored,
  };
}

function backupFacts(
  plan: NonNullable<Settings['backups']>,
  { failedBackup: failure }: Meter,
  isUnderWay: boolean,
  kept: readonly SizedBackup[] | undefined,
): Figures['backups'] {
  // A time in the future is a wrong clock's, and says nothing of how old the newest backup is.
  const newest = kept?.find(({ takenAt }) => takenAt <= Date.now());
  return {
    folder: plan.folder,
    interval_hours: plan.intervalHours,
    keep: plan.keep,
    last_success_at: timeOf(newest?.takenAt),
    last_success_bytes: newest?.bytes ?? null,
    last_failed: failure !== null,
    last_failure: failure,
    under_way: isUnderWay,
    list:
      kept?.map(({ takenAt, ...file }) => ({
        ...file,
        taken_at: new Date(takenAt).toISOString(),
      })) ?? null,
  };
}

/** If the reader is gone or the disk is full, only the lines are lost. */
function print(lines: string): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(lines, () => resolve()));
}
