// The service on Node, put together from its settings: file, records, identity,
// handler, port; and taken apart in the opposite order.

import { hash, randomFillSync } from 'node:crypto';
import {
  createResponder,
  openRecords,
  type Responder,
  sharedChecks,
  Turns,
  userinfoIdentity,
} from '../handler.js';
import type { IdentityProvider } from '../identity/identity-provider.js';
import { type FileJournal, openLibsqlJournal } from '../libsql.js';
import type { Log } from '../log.js';
import type { OpenRecords } from '../records/memory-store.js';
import { type Settings, settingWarnings } from '../settings.js';
import { BackupSchedule } from '../storage/backup/backup-schedule.js';
import { listen } from './http-server.js';
import { ThreadedWork } from './threaded-work.js';

/** Answers get this long to be written once the service is told to stop; 15 s in all with the file's closing. */
const DRAIN_DEADLINE_MS = 12_000;

export interface Service {
  readonly origin: string;
  /** Takes a backup, as far as settings say where to; the log says what became of it. */
  backUp(): void;
  /** Stops listening, answers what is under way, and resolves when every acknowledged write is on disk. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly log: Log;
  /** Called once when storage can no longer be relied on: stop the process, a restart reads the truth. */
  readonly onStorageLost: () => void;
}

/** Resolves when the service listens. Rejects with one sentence that names what cannot be had. */
export async function startService({
  settings,
  log,
  onStorageLost,
}: ServiceOptions): Promise<Service> {
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  const journal = await openLibsqlJournal({ path: settings.databasePath });
  // The same for records and answers: all long work of the process takes turns.
  const turns = new Turns();
  const work = new ThreadedWork();
  let records: OpenRecords;
  try {
    const limits = settings.accountLimits;
    records = await openRecords({ journal, log, turns, work, limits, onStorageLost });
  } catch (error) {
    await journal.close();
    throw error;
  }
  try {
    const handler = handlerOf(settings, records, log, turns);
    const { host, port, corsAllowedOrigins } = settings;
    const server = await listen({ handler, host, port, corsAllowedOrigins, log });
    const backups = scheduleOf(settings, journal, log);
    return {
      origin: server.origin,
      backUp() {
        if (backups !== undefined) backups.takeNow();
        else log.warn('backup_not_configured', { hint: 'no backup is taken; set BACKUP_DIR' });
      },
      async stop() {
        backups?.stop();
        await server.drain(DRAIN_DEADLINE_MS);
        await records.close();
        await work.close();
      },
    };
  } catch (error) {
    await records.close();
    throw new Error(
      `the service cannot listen on ${settings.host}:${settings.port}: ${reasonOf(error)}`,
    );
  }
}

function scheduleOf(
  { backups, databasePath }: Settings,
  journal: FileJournal,
  log: Log,
): BackupSchedule | undefined {
  if (backups === undefined) return undefined;
  return new BackupSchedule({ journal, databasePath, settings: backups, log });
}

function handlerOf(settings: Settings, records: OpenRecords, log: Log, turns: Turns): Responder {
  const identity = identityOf(settings, log);
  return createResponder({
    records,
    ...(identity && { identity }),
    adminKey: settings.adminKey,
    corsAllowedOrigins: settings.corsAllowedOrigins,
    log,
    turns,
    randomBytes: randomFillSync,
  });
}

function identityOf(
  { userinfo, authCacheSeconds }: Settings,
  log: Log,
): IdentityProvider | undefined {
  if (userinfo === undefined) return undefined;
  return sharedChecks(userinfoIdentity({ ...userinfo, log }), {
    cacheSeconds: authCacheSeconds,
    digest: (token) => hash('sha256', token, 'base64'),
  });
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'another program has this port; set PORT to a free one';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return 'this machine does not have this address; set HOST to one of its own';
  }
  if (code === 'EACCES') return 'this port needs more rights; set PORT to 1024 or above';
  return error instanceof Error ? error.message : String(error);
}
