// The service on Node, put together from its settings: file, records, identity,
// handler, port; and taken apart in the opposite order.

import { hash, randomFillSync } from 'node:crypto';
import {
  createResponder,
  openRecords,
  type Responder,
  sharedChecks,
  userinfoIdentity,
} from '../handler.js';
import type { IdentityProvider } from '../identity/identity-provider.js';
import { type FileJournal, openLibsqlJournal } from '../libsql.js';
import type { Log } from '../log.js';
import { type OperationsSettings, readOperationsSettings } from '../operations-settings.js';
import type { OpenRecords } from '../records/memory-store.js';
import { nextTask, type Pause, Turns } from '../records/turns.js';
import type { ServiceEvents } from '../service-events.js';
import { type Settings, settingWarnings } from '../settings.js';
import { BackupSchedule } from '../storage/backup/backup-schedule.js';
import { listen } from './http-server.js';
import { Operations, watchedIdentity } from './operations.js';

/** Answers get this long to be written once the service is told to stop; 15 s in all with the file's closing. */
const DRAIN_DEADLINE_MS = 12_000;

export interface Service {
  readonly origin: string;
  /** Of the operations port; undefined where none is asked for. */
  readonly operationsOrigin: string | undefined;
  /** Takes a backup, as far as settings say where to; the log says what became of it. */
  backUp(): void;
  /** Stops listening, answers what is under way, and resolves when every acknowledged write is on disk. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  /** Default: no operations port, no request log. */
  readonly operations?: OperationsSettings;
  readonly log: Log;
  /** Called once when storage can no longer be relied on: stop the process, a restart reads the truth. */
  readonly onStorageLost: () => void;
}

/** Resolves when the service listens. Rejects with one sentence that names what cannot be had. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { settings, log } = options;
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  // Before the records are loaded, which may take long: it says so meanwhile.
  const operations = await openOperations(options);
  try {
    const journal = await openLibsqlJournal({ path: settings.databasePath });
    const records = await recordsOf(journal, operations, options);
    return await serve(journal, records, operations, options);
  } catch (error) {
    await operations.close();
    throw error;
  }
}

async function recordsOf(
  journal: FileJournal,
  operations: Operations,
  { log, onStorageLost }: ServiceOptions,
): Promise<LoadedRecords> {
  const { events } = operations;
  // One for all: large bodies, searches and large writes never meet in one event-loop turn.
  const turns = new Turns(nextTask);
  const pause = operations.counted(() => turns.next());
  try {
    const records = await openRecords({
      journal,
      log,
      pause,
      ...(events && { events }),
      onStorageLost() {
        events?.storageLost();
        onStorageLost();
      },
    });
    return { records, pause };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

interface LoadedRecords {
  readonly records: OpenRecords;
  readonly pause: Pause;
}

/** Opens the port and begins with the backups; closes the records where the port cannot be had. */
async function serve(
  journal: FileJournal,
  { records, pause }: LoadedRecords,
  operations: Operations,
  { settings, log }: ServiceOptions,
): Promise<Service> {
  const { events } = operations;
  try {
    const handler = handlerOf(settings, records, log, pause, events);
    const { host, port, corsAllowedOrigins } = settings;
    const server = await listen({ handler, host, port, corsAllowedOrigins, log, events });
    const backups = scheduleOf(settings, journal, log, events);
    operations.started({ journal, records, server, backups, backupPlan: settings.backups });
    return {
      origin: server.origin,
      operationsOrigin: operations.origin,
      backUp() {
        if (backups !== undefined) backups.takeNow();
        else log.warn('backup_not_configured', { hint: 'no backup is taken; set BACKUP_DIR' });
      },
      async stop() {
        await operations.stopping();
        backups?.stop();
        await server.drain(DRAIN_DEADLINE_MS);
        await records.close();
        await operations.close();
      },
    };
  } catch (error) {
    await records.close();
    throw new Error(
      `the service cannot listen on ${settings.host}:${settings.port}: ${reasonOf(error)}`,
    );
  }
}

async function openOperations(options: ServiceOptions): Promise<Operations> {
  const { operations: settings = readOperationsSettings({}), log } = options;
  const { databasePath, userinfo } = options.settings;
  const identityConfigured = userinfo !== undefined;
  try {
    return await Operations.open({ settings, databasePath, identityConfigured, log });
  } catch (error) {
    const { host, port } = settings.port ?? {};
    const reason = reasonOf(error, 'OPS_');
    throw new Error(`the operations port cannot be opened on ${host}:${port}: ${reason}`);
  }
}

function scheduleOf(
  { backups, databasePath }: Settings,
  journal: FileJournal,
  log: Log,
  events: ServiceEvents | undefined,
): BackupSchedule | undefined {
  if (backups === undefined) return undefined;
  return new BackupSchedule({ journal, databasePath, settings: backups, log, events });
}

function handlerOf(
  settings: Settings,
  records: OpenRecords,
  log: Log,
  pause: Pause,
  events: ServiceEvents | undefined,
): Responder {
  const identity = identityOf(settings, log, events);
  return createResponder({
    records,
    ...(identity && { identity }),
    adminKey: settings.adminKey,
    corsAllowedOrigins: settings.corsAllowedOrigins,
    log,
    pause,
    randomBytes: randomFillSync,
  });
}

function identityOf(
  { userinfo, authCacheSeconds }: Settings,
  log: Log,
  events: ServiceEvents | undefined,
): IdentityProvider | undefined {
  if (userinfo === undefined) return undefined;
  const provider = userinfoIdentity({ ...userinfo, log });
  const options = {
    cacheSeconds: authCacheSeconds,
    digest: (token: string) => hash('sha256', token, 'base64'),
  };
  return watchedIdentity(provider, (asked) => sharedChecks(asked, options), events);
}

/** `prefix`: of the settings that name the address. */
function reasonOf(error: unknown, prefix = ''): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `another program has this port; set ${prefix}PORT to a free one`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `this machine does not have this address; set ${prefix}HOST to one of its own`;
  }
  if (code === 'EACCES') return `this port needs more rights; set ${prefix}PORT to 1024 or above`;
  return error instanceof Error ? error.message : String(error);
}
