// Starts the service on Node from its settings: file, records, identity, handler, port.
// Stops them in the opposite order.

import { FairScheduler } from '../../core/admission/fair-scheduler.js';
import type { ProviderFinding } from '../../core/identity/probe.js';
import type { Log, LogFields } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import { openRecords } from '../../core/records/memory-store.js';
import { recordCount } from '../../core/records/usage-view.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { Responder } from '../../handler.js';
import { type FileStorage, openLibsqlStorage } from '../../libsql.js';
import { BackupSchedule } from '../../storage/backup/backup-schedule.js';
import { type Settings, settingWarnings } from '../settings.js';
import { Arrivals } from './arrivals.js';
import { warnOfCreation } from './created-database.js';
import { ErasedAccounts } from './erased-accounts.js';
import { addressReason, openFront } from './front.js';
import type { HttpServerOptions } from './http-server.js';
import { LostFile } from './lost-file.js';
import { Operations, VERSION } from './operations.js';
import { ReplicaWatch } from './replica-watch.js';
import { ThreadedWork } from './threaded-work.js';

/** After a signal to stop, answers get this long to be written. With closing the file that is 15 s in all. */
const DRAIN_DEADLINE_MS = 12_000;

/** A start waits this long for the replica. Then the service answers reads, and in `async` writes, too. */
const REPLICA_REACHED_MAX_MS = 5_000;

export interface Service {
  readonly origin: string;
  /** The origin of the operations port; undefined if the settings name no such port. */
  readonly operationsOrigin: string | undefined;
  /** What the log says of the start: release, file, records. */
  readonly facts: LogFields;
  /** The provider's answer to a made-up token at the start; undefined before it comes, and without a provider. */
  providerFinding(): ProviderFinding | undefined;
  /** Takes a backup if the settings name a folder. The log has the outcome. */
  backUp(): void;
  /** Resolves when the storage thread has answered a call, with any answer. */
  storageAnswers(): Promise<void>;
  /** Stops listening, answers what is under way, and resolves when every acknowledged write is on disk. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly log: Log;
  /**
   * Called once when storage can no longer be relied on. Stop the process then; a restart
   * reads the stored records.
   */
  readonly onStorageLost: () => void;
  /** Descriptor of a listening socket that was handed over; undefined: the settings name the address. */
  readonly socket?: number | undefined;
  /** Wraps the handler, to refuse some requests. */
  readonly guard?: (respond: Responder) => HttpServerOptions['handler'];
}

/** Resolves when the service listens. Rejects with one sentence that names the cause. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { settings, log } = options;
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  // The operations port opens first: loading the records may take long, and the port reports it.
  const operations = await openOperations(settings, log);
  try {
    const { replication } = settings;
    const replica =
      replication && new ReplicaWatch({ log, events: operations.events, clock: Date.now });
    const storage = await openLibsqlStorage({
      path: settings.databasePath,
      backupFolder: settings.backups?.folder,
      createAnyway: settings.databaseCreate,
      sampleRows: settings.sampleRecords,
      replication: replication && { ...replication, onReport: (report) => replica?.take(report) },
    });
    warnOfCreation(settings, storage.isNew, log);
    const loaded = await loadedRecords(storage, operations, options);
    // So that Litestream has taken a commit of this file before the first request.
    await replica?.reached(REPLICA_REACHED_MAX_MS);
    return await serve(storage, loaded, replica, operations, options);
  } catch (error) {
    await operations.close();
    throw error;
  }
}

interface LoadedRecords {
  readonly records: OpenRecords;
  readonly scheduler: FairScheduler;
  readonly arrivals: Arrivals;
  readonly work: ThreadedWork;
}

async function loadedRecords(
  storage: FileStorage,
  { events }: Operations,
  { settings, log, onStorageLost }: ServiceOptions,
): Promise<LoadedRecords> {
  const arrivals = new Arrivals();
  // Records and answers share the turns: all long work of the process takes turns.
  const scheduler = new FairScheduler({ givesWay: () => arrivals.take() });
  const work = new ThreadedWork();
  try {
    const records = await openRecords({
      storage,
      log,
      scheduler,
      work,
      limits: settings.accountLimits,
      ...(events && { events }),
      onStorageLost() {
        events?.storageLost();
        onStorageLost();
      },
    });
    return { records, scheduler, arrivals, work };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Opens the port and starts the backups. Closes the records if the port cannot be opened. */
async function serve(
  storage: FileStorage,
  { records, scheduler, arrivals, work }: LoadedRecords,
  replica: ReplicaWatch | undefined,
  operations: Operations,
  { settings, log, socket, guard }: ServiceOptions,
): Promise<Service> {
  const { events } = operations;
  try {
    // Before the first answer could show them.
    const erasedAccounts = await ErasedAccounts.look({ settings, records, storage, log });
    const { server, providerProbe } = await openFront({
      settings,
      records,
      log,
      scheduler,
      arrivals,
      events,
      socket,
      guard,
    });
    const backups = scheduleOf(settings, storage, log, events);
    const lostFile = new LostFile({ settings, storage, records, backups, log, events });
    const providerFinding = () => providerProbe.finding;
    operations.started({
      storage: {
        look: () => lostFile.look(),
        ping: () => storage.ping(),
        touch: () => storage.touch(),
      },
      records,
      server,
      backups,
      backupPlan: settings.backups,
      replica,
      erasedAccounts,
      heavyWork: () => scheduler.waiting + work.jobs,
      providerFinding,
    });
    return {
      origin: server.origin,
      facts: {
        version: VERSION,
        file: settings.databasePath,
        records: recordCount(records.counts()),
      },
      operationsOrigin: operations.origin,
      providerFinding,
      backUp() {
        if (backups !== undefined) backups.takeNow();
        else log.warn('backup_not_configured', { hint: 'no backup is taken; set BACKUP_DIR' });
      },
      storageAnswers: () => storage.ping().catch(() => {}),
      async stop() {
        providerProbe.stop();
        operations.stopping();
        backups?.stop();
        await server.drain(DRAIN_DEADLINE_MS);
        await lostFile.stop();
        await records.close();
        await work.close();
        await operations.close();
      },
    };
  } catch (error) {
    await records.close();
    throw error;
  }
}

/** Opens the operations port first, so that it tells of a long start. Rejects with one sentence. */
export async function openOperations(settings: Settings, log: Log): Promise<Operations> {
  const { databasePath, operations, adminKey } = settings;
  const identityConfigured = settings.signIn !== undefined;
  try {
    return await Operations.open({
      settings: operations,
      databasePath: settings.postgresUrl === undefined ? databasePath : undefined,
      identityConfigured,
      adminKey,
      log,
    });
  } catch (error) {
    const { host, port } = operations.port ?? {};
    const reason = addressReason(error, 'OPS_');
    throw new Error(`the operations port cannot be opened on ${host}:${port}: ${reason}`);
  }
}

function scheduleOf(
  { backups, databasePath }: Settings,
  storage: FileStorage,
  log: Log,
  events: ServiceEvents | undefined,
): BackupSchedule | undefined {
  if (backups === undefined) return undefined;
  return new BackupSchedule({ storage, databasePath, settings: backups, log, events });
}
