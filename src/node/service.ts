// The service on Node, put together from its settings: file, records, identity,
// handler, port; and taken apart in the opposite order.

import { hash, randomFillSync } from 'node:crypto';
import {
  createResponder,
  openRecords,
  openSignIn,
  type ProviderFinding,
  type Responder,
  type SignIn,
} from '../handler.js';
import { type FileJournal, openLibsqlJournal } from '../libsql.js';
import type { Log } from '../log.js';
import type { OpenRecords } from '../records/memory-store.js';
import { nextTask, type Pause, Turns } from '../records/turns.js';
import { type Settings, settingWarnings } from '../settings.js';
import { BackupSchedule } from '../storage/backup/backup-schedule.js';
import { freshFetch } from './fresh-fetch.js';
import { listen } from './http-server.js';
import { ProviderProbe } from './provider-probe.js';

/** Answers get this long to be written once the service is told to stop; 15 s in all with the file's closing. */
const DRAIN_DEADLINE_MS = 12_000;

export interface Service {
  readonly origin: string;
  /** What the provider made of a made-up token at the start; undefined before its answer, and without a provider. */
  providerFinding(): ProviderFinding | undefined;
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
  // One for all: large bodies, searches and large writes never meet in one event-loop turn.
  const turns = new Turns(nextTask);
  const pause = () => turns.next();
  let records: OpenRecords;
  try {
    records = await openRecords({ journal, log, pause, onStorageLost });
  } catch (error) {
    await journal.close();
    throw error;
  }
  try {
    const signIn = signInOf(settings, log);
    const handler = handlerOf(settings, records, signIn, log, pause);
    const { host, port, corsAllowedOrigins } = settings;
    const server = await listen({ handler, host, port, corsAllowedOrigins, log });
    const backups = scheduleOf(settings, journal, log);
    const providerProbe = new ProviderProbe(signIn, log);
    return {
      origin: server.origin,
      providerFinding: () => providerProbe.finding,
      backUp() {
        if (backups !== undefined) backups.takeNow();
        else log.warn('backup_not_configured', { hint: 'no backup is taken; set BACKUP_DIR' });
      },
      async stop() {
        providerProbe.stop();
        backups?.stop();
        await server.drain(DRAIN_DEADLINE_MS);
        await records.close();
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

function handlerOf(
  settings: Settings,
  records: OpenRecords,
  signIn: SignIn | undefined,
  log: Log,
  pause: Pause,
): Responder {
  return createResponder({
    records,
    ...(signIn && { identity: signIn.identity }),
    adminKey: settings.adminKey,
    corsAllowedOrigins: settings.corsAllowedOrigins,
    log,
    pause,
    randomBytes: randomFillSync,
  });
}

function signInOf({ signIn: settings }: Settings, log: Log): SignIn | undefined {
  if (settings === undefined) return undefined;
  const digest = (token: string) => hash('sha256', token, 'base64');
  return openSignIn({ settings, log, digest, freshFetch });
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
