// The operations side of one service on Node: measures the service, answers on the
// operations port, and writes the request log.

import { isAdminKey } from '../../core/http/authentication.js';
import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { SizedBackup } from '../../storage/backup/backup-files.js';
import type { BackupSchedule } from '../../storage/backup/backup-schedule.js';
import { Meter } from '../operations/meter.js';
import { metricsText } from '../operations/metrics.js';
import { type AskedStorage, Readiness } from '../operations/readiness.js';
import { RequestLog } from '../operations/request-log.js';
import { type Facts, type Status, timeOf } from '../operations/status.js';
import type { Settings } from '../settings.js';
import type { Connections } from './connections.js';
import {
  diskFacts,
  latest,
  NO_DISK,
  processFacts,
  sampleEventLoopDelays,
} from './machine-figures.js';
import { openOperationsPort, type Page, type Pages } from './operations-port.js';
import type { ProviderProbe } from './provider-probe.js';
import type { Turns } from './turns.js';

/** The same version as in the OpenAPI document. */
export const VERSION = '0.1.0';
const MINUTE_MS = 60_000;

export type ReplicaFacts = Omit<NonNullable<Facts['replication']>, 'failures'>;

/** The parts that exist once the service has started; undefined if this service has none. */
export interface StartedParts {
  readonly storage: AskedStorage;
  /** Those in the memory of this process. */
  readonly inMemory?: Pick<OpenRecords, 'writesWaiting' | 'counts' | 'accountCount'>;
  readonly connections: Pick<Connections, 'count' | 'requestCount'>;
  readonly backups?: BackupSchedule | undefined;
  readonly replica?: { readonly facts: ReplicaFacts } | undefined;
  readonly erasedAccounts?: (() => Promise<Facts['erased_accounts']>) | undefined;
  readonly postgres?: () => Facts['postgres'];
  readonly turns: Turns;
  readonly probe: ProviderProbe;
}

export class Operations {
  readonly #settings: Settings;
  readonly #meter: Meter;
  readonly #readiness: Readiness;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #disk: () => Promise<Facts['database']>;
  #kept: (() => Promise<readonly SizedBackup[] | undefined>) | undefined;
  #parts: StartedParts | undefined;
  #port: Awaited<ReturnType<typeof openOperationsPort>> | undefined;

  constructor(settings: Settings) {
    const { operations, postgresUrl, databasePath, signIn } = settings;
    const log = operations.requestLog && new RequestLog(operations.requestLog.fromMs, print);
    this.#settings = settings;
    this.#meter = new Meter(log);
    this.#readiness = new Readiness(this.#meter, signIn !== undefined);
    const look = async () => (postgresUrl === undefined ? diskFacts(databasePath) : NO_DISK);
    this.#disk = latest(look, NO_DISK);
  }

  /** Opens the port if the settings name one. Rejects if the address cannot be used. */
  async open(log: Log): Promise<void> {
    const { port } = this.#settings.operations;
    if (port === undefined) return;
    const delays = sampleEventLoopDelays();
    const minutes = setInterval(() => this.#meter.lastHour.tick(), MINUTE_MS).unref();
    this.#timers.push(minutes, delays.timer);
    const pages: Pages = {
      'GET /live': () => [200, { live: true }],
      'GET /ready': () => this.#ready(),
      'GET /metrics': async () => [
        200,
        metricsText(await this.#status(), this.#meter, delays.histogram),
      ],
      'GET /status': async () => [200, await this.#status()],
      'POST /backup': (adminKey) => this.#backUp(adminKey),
    };
    const onError = (error: unknown) => log.error('operations_page_failed', error);
    this.#port = await openOperationsPort(port, pages, onError);
  }

  /** Receives the events of the service's parts; undefined if nothing is measured. */
  get events(): ServiceEvents | undefined {
    const { port, requestLog } = this.#settings.operations;
    return port === undefined && requestLog === undefined ? undefined : this.#meter;
  }

  /** `http://ADDRESS:PORT`; undefined if there is no port. */
  get origin(): string | undefined {
    return this.#port?.origin;
  }

  started(parts: StartedParts): void {
    this.#parts = parts;
    const { backups } = parts;
    this.#kept = backups && latest(() => backups.kept().catch(() => undefined), undefined);
  }

  /** From here on `/ready` says so. */
  stopping(): void {
    this.#readiness.stopping();
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#meter.requestLog?.flush();
    this.#port?.close();
  }

  async #ready(): Promise<Page> {
    const { ready, reasons, warnings } = await this.#status();
    return [ready ? 200 : 503, { ready, reasons, warnings }];
  }

  /** What SIGUSR2 does. Requires the admin key; otherwise anyone could rotate out good backups. */
  #backUp(adminKey: string | undefined): Page {
    if (!isAdminKey(this.#settings.adminKey, adminKey ?? '')) {
      if (adminKey !== undefined) this.#meter.adminKeyRefused();
      return [401, { error: 'no or wrong admin key; send it as "X-Service-Admin-Key"' }];
    }
    if (this.#parts === undefined) return [503, { error: 'the service has not started yet' }];
    const { backups } = this.#parts;
    if (backups === undefined)
      return [409, { error: 'backups are not configured; set BACKUP_DIR' }];
    backups.takeNow();
    return [202, { begun: true }];
  }

  async #status(): Promise<Status> {
    // Held: a start that ends between two looks would have storage and, as yet, no backups.
    const parts = this.#parts;
    const facts = await this.#facts(parts);
    return { ...(await this.#readiness.answer(facts, parts?.storage)), ...facts };
  }

  async #facts(parts: StartedParts | undefined): Promise<Facts> {
    const meter = this.#meter;
    const [process_, database, backups, erased] = await Promise.all([
      processFacts(),
      this.#disk(),
      this.#backupFacts(parts),
      parts?.erasedAccounts?.(),
    ]);
    return {
      version: VERSION,
      runtime: `node ${process.version}`,
      started_at: timeOf(performance.timeOrigin),
      requests: {
        ...meter.requests.totals,
        in_flight: parts?.connections.requestCount ?? null,
        connections: parts?.connections.count ?? null,
        heavy_work: parts ? parts.turns.scheduler.waiting + parts.turns.work.jobs : null,
      },
      last_hour: meter.lastHour.minutes,
      writes: {
        waiting: parts?.inMemory?.writesWaiting ?? null,
        commits: meter.commits,
        failing_since: timeOf(meter.writeFailure?.since),
        failing_reason: meter.writeFailure?.reason ?? null,
        audit_failures: meter.auditFailures,
      },
      records: parts?.inMemory?.counts() ?? null,
      accounts: parts?.inMemory?.accountCount ?? null,
      database,
      identity: {
        at_start: parts?.probe.finding ?? null,
        unavailable_since: timeOf(meter.identityUnavailableSince),
        checks: meter.identityChecks,
        ...meter.sharedChecks,
      },
      admin_keys: { refused: meter.keysRefused, last_refused_at: timeOf(meter.lastKeyRefusedAt) },
      backups,
      replication: parts?.replica
        ? { ...parts.replica.facts, failures: meter.replicaFailures }
        : null,
      erased_accounts: erased ?? null,
      postgres: parts?.postgres?.() ?? null,
      process: process_,
    };
  }

  async #backupFacts(parts: StartedParts | undefined): Promise<Facts['backups']> {
    const plan = this.#settings.backups;
    if (plan === undefined || parts === undefined) return null;
    const { failure } = this.#meter.lastBackup;
    const kept = await this.#kept?.();
    // A time in the future is a wrong clock's, and says nothing of how old the newest backup is.
    const newest = kept?.find(({ takenAt }) => takenAt <= Date.now());
    return {
      folder: plan.folder,
      interval_hours: plan.intervalHours,
      keep: plan.keep,
      last_success_at: timeOf(newest?.takenAt),
      last_success_bytes: newest?.bytes ?? null,
      last_failed: failure !== undefined,
      last_failure: failure ? { at: timeOf(failure.at), reason: failure.reason } : null,
      under_way: parts.backups?.isUnderWay ?? false,
      list: kept?.map(({ takenAt, ...file }) => ({ ...file, taken_at: timeOf(takenAt) })) ?? null,
    };
  }
}

/** If the reader has gone or the disk is full, only the lines are lost. */
function print(lines: string): Promise<void> {
  return new Promise((resolve) => void process.stdout.write(lines, () => resolve()));
}
