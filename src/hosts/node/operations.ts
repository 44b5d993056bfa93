// The operations side of one service on Node: measures the service, answers on the
// operations port, and writes the request log.

import { isAdminKey } from '../../core/http/authentication.js';
import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { BackupPlan, BackupSchedule } from '../../storage/backup/backup-schedule.js';
import { EXPOSITION_TYPE } from '../operations/exposition.js';
import type {
  BackupFigures,
  Figures,
  PostgresFigures,
  ProviderFinding,
} from '../operations/figures.js';
import { Meter } from '../operations/meter.js';
import { type Measured, metricsText } from '../operations/metrics.js';
import { type AskedStorage, Readiness, type ReadyAnswer } from '../operations/readiness.js';
import { RequestLog } from '../operations/request-log.js';
import { statusOf } from '../operations/status.js';
import type { OperationsSettings, Settings } from '../settings.js';
import type { ErasedAccounts } from './erased-accounts.js';
import type { HttpServer } from './http-server.js';
import { Latest } from './latest.js';
import { standardOutputLines } from './line-output.js';
import {
  diskFigures,
  EventLoopDelays,
  eventLoopFigures,
  processFigures,
} from './machine-figures.js';
import {
  type OperationsAnswer,
  type OperationsPage,
  type OperationsServer,
  openOperationsPort,
} from './operations-port.js';
import type { ReplicaWatch } from './replica-watch.js';

/** The same version as in the OpenAPI document. */
export const VERSION = '0.1.0';
const MINUTE_MS = 60_000;
const JSON_TYPE = 'application/json; charset=utf-8';

const NO_DISK: Figures['disk'] = {
  databaseBytes: undefined,
  logBytes: undefined,
  freeBytes: undefined,
  totalBytes: undefined,
};

export interface OperationsOptions {
  readonly settings: OperationsSettings;
  /** Undefined if no disk of this machine has the records. */
  readonly databasePath: string | undefined;
  readonly identityConfigured: boolean;
  /** Of the administration API; who sends it may ask for a backup. */
  readonly adminKey: Settings['adminKey'];
  readonly log: Log;
}

/** The parts that exist once the service has started. */
export interface StartedParts {
  readonly storage: AskedStorage;
  /** Those in the memory of this process; undefined if it keeps none. */
  readonly records: Pick<OpenRecords, 'writesWaiting' | 'counts' | 'accountCount'> | undefined;
  readonly server: HttpServer;
  readonly backups: BackupSchedule | undefined;
  readonly backupPlan: BackupPlan | undefined;
  readonly replica: ReplicaWatch | undefined;
  readonly erasedAccounts: ErasedAccounts | undefined;
  /** Undefined if the database is a file. */
  readonly postgres?: () => PostgresFigures;
  /** The number of pieces of long work that wait for their turn or are under way in another thread. */
  heavyWork(): number;
  /** The provider's answer to a made-up token at the start; undefined before it comes, and without a provider. */
  providerFinding(): ProviderFinding | undefined;
}

export class Operations {
  readonly #options: OperationsOptions;
  readonly #meter: Meter;
  readonly #requestLog: RequestLog | undefined;
  readonly #readiness: Readiness;
  /** Sampled only when the operations port is open. */
  readonly #delays: EventLoopDelays | undefined;
  #minutes: NodeJS.Timeout | undefined;
  readonly #disk: Latest<Figures['disk']>;
  #kept: Latest<BackupFigures['kept']> | undefined;
  #parts: StartedParts | undefined;
  #port: OperationsServer | undefined;

  private constructor(options: OperationsOptions) {
    const { settings, databasePath, identityConfigured } = options;
    const [now, clock] = [() => performance.now(), () => Date.now()];
    this.#options = options;
    this.#requestLog =
      settings.requestLog &&
      new RequestLog({ ...settings.requestLog, write: standardOutputLines(), clock });
    this.#meter = new Meter({ now, clock, requestLog: this.#requestLog });
    this.#readiness = new Readiness({ meter: this.#meter, identityConfigured, now, clock, after });
    this.#delays = settings.port && new EventLoopDelays();
    const look = () => (databasePath === undefined ? NO_DISK : diskFigures(databasePath));
    this.#disk = new Latest(async () => look(), NO_DISK);
  }

  /** Opens the port before anything else, so that it answers during a long start. Rejects if the address cannot be used. */
  static async open(options: OperationsOptions): Promise<Operations> {
    const operations = new Operations(options);
    const { port } = options.settings;
    if (port !== undefined) await operations.#listen(port);
    return operations;
  }

  /** Receives the events of the service's parts; undefined if nothing is measured. */
  get events(): ServiceEvents | undefined {
    const { port, requestLog } = this.#options.settings;
    return port === undefined && requestLog === undefined ? undefined : this.#meter;
  }

  /** `http://ADDRESS:PORT`; undefined if no port is asked for. */
  get origin(): string | undefined {
    return this.#port?.origin;
  }

  started(parts: StartedParts): void {
    this.#parts = parts;
    const { backups } = parts;
    this.#kept = backups && new Latest(() => backups.kept().catch(() => undefined), undefined);
  }

  /** From here on `/ready` says so. */
  stopping(): void {
    this.#readiness.stopping();
  }

  async close(): Promise<void> {
    this.#delays?.stop();
    clearInterval(this.#minutes);
    await this.#requestLog?.flush();
    await this.#port?.close();
  }

  async #listen(address: { readonly host: string; readonly port: number }): Promise<void> {
    const pages = new Map<string, OperationsPage>([
      ['/live', page(async () => ({ status: 200, type: JSON_TYPE, text: '{"live":true}\n' }))],
      ['/ready', page(async () => readyAnswer((await this.#measured()).ready))],
      ['/metrics', page(() => this.#metrics())],
      ['/status', page(async () => jsonAnswer(200, statusOf(await this.#measured())))],
      ['/backup', { method: 'POST', answer: async (adminKey) => this.#backUp(adminKey) }],
    ]);
    const tick = () => this.#meter.lastHour.tick(Date.now());
    this.#minutes = setInterval(tick, MINUTE_MS).unref();
    const onError = (error: unknown) => this.#options.log.error('operations_page_failed', error);
    this.#port = await openOperationsPort(address, pages, onError);
  }

  /** What SIGUSR2 does. Requires the admin key; otherwise anyone could rotate out good backups. */
  #backUp(adminKey: string | undefined): OperationsAnswer {
    if (!isAdminKey(this.#options.adminKey, adminKey ?? '')) {
      if (adminKey !== undefined) this.#meter.adminKeyRefused();
      return refusal(401, 'no or wrong admin key; send it as "X-Service-Admin-Key"');
    }
    if (this.#parts === undefined) return refusal(503, 'the service has not started yet');
    const { backups } = this.#parts;
    if (backups === undefined) return refusal(409, 'no backup is taken; set BACKUP_DIR');
    backups.takeNow();
    return jsonAnswer(202, { begun: true });
  }

  async #metrics(): Promise<OperationsAnswer> {
    return { status: 200, type: EXPOSITION_TYPE, text: metricsText(await this.#measured()) };
  }

  async #measured(): Promise<Measured> {
    // Held: a start that ends between two looks would have storage and, as yet, no backups.
    const parts = this.#parts;
    const figures = await this.#figures(parts);
    const ready = await this.#readiness.answer(figures, parts?.storage);
    return {
      meter: this.#meter,
      figures,
      eventLoopDelays: this.#delays?.histogram,
      ready,
      now: Date.now(),
    };
  }

  async #figures(parts: StartedParts | undefined): Promise<Figures> {
    const [usage, disk, service, backups, erasures] = await Promise.all([
      processFigures(),
      this.#disk.value(),
      parts && this.#serviceFigures(parts),
      parts && this.#backupFigures(parts),
      parts?.erasedAccounts?.figures(),
    ]);
    return {
      build: { version: VERSION, runtime: `node ${process.version}` },
      usage,
      eventLoop: eventLoopFigures(),
      service,
      disk,
      providerFinding: parts?.providerFinding(),
      backups,
      replication: parts?.replica?.figures,
      erasures,
      postgres: parts?.postgres?.(),
    };
  }

  #serviceFigures(parts: StartedParts): Figures['service'] {
    const { server, records } = parts;
    return {
      connections: server.connectionCount,
      requestsInFlight: server.requestCount,
      writesWaiting: records?.writesWaiting,
      heavyWork: parts.heavyWork(),
      records: records?.counts(),
      accounts: records?.accountCount,
    };
  }

  async #backupFigures(parts: StartedParts): Promise<BackupFigures | undefined> {
    const { backupPlan, backups } = parts;
    if (backupPlan === undefined) return undefined;
    const isUnderWay = backups?.isUnderWay ?? false;
    return { ...backupPlan, isUnderWay, kept: await this.#kept?.value() };
  }
}

function page(answer: () => Promise<OperationsAnswer>): OperationsPage {
  return { method: 'GET', answer };
}

function readyAnswer(ready: ReadyAnswer): OperationsAnswer {
  return jsonAnswer(ready.ready ? 200 : 503, ready);
}

function refusal(status: OperationsAnswer['status'], error: string): OperationsAnswer {
  return jsonAnswer(status, { error });
}

function jsonAnswer(status: OperationsAnswer['status'], value: object): OperationsAnswer {
  return { status, type: JSON_TYPE, text: `${JSON.stringify(value)}\n` };
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}
