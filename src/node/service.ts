// The service on Node, put together from its settings: file, records, identity,
// handler, port; and taken apart in the opposite order.

import { hash, randomFillSync } from 'node:crypto';
import { openRecords, type ProviderFinding, type Responder, Turns } from '../handler.js';
import { type FileJournal, openLibsqlJournal } from '../libsql.js';
import type { Log } from '../log.js';
import type { OpenRecords } from '../records/memory-store.js';
import { responderFor } from '../responder.js';
import { type Settings, settingWarnings } from '../settings.js';
import { BackupSchedule } from '../storage/backup/backup-schedule.js';
import { freshFetch } from './fresh-fetch.js';
import { type HttpServerOptions, listen } from './http-server.js';
import { ProviderProbe } from './provider-probe.js';
import { ThreadedWork } from './threaded-work.js';

/** Answers get this long to be written once the service is told to stop; 15 s in all with the file's closing. */
const DRAIN_DEADLINE_MS = 12_000;

export interface Service {
  readonly origin: string;
  /** What the provider made of a made-up token at the start; undefined before its answer, and without a provider. */
  providerFinding(): ProviderFinding | undefined;
  /** Takes a backup, as far as settings say where to; the log says what became of it. */
  backUp(): void;
  /** Resolves when the storage thread has answered a call, whatever it answers. */
  storageAnswers(): Promise<void>;
  /** Stops listening, answers what is under way, and resolves when every acknowledged write is on disk. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly log: Log;
  /** Called once when storage can no longer be relied on: stop the process, a restart reads the truth. */
  readonly onStorageLost: () => void;
  /** Put around the handler: it decides which requests come through. */
  readonly guard?: (respond: Responder) => HttpServerOptions['handler'];
}

/** Resolves when the service listens. Rejects with one sentence that names what cannot be had. */
export async function startService({
  settings,
  log,
  onStorageLost,
  guard = (respond) => respond,
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
    const { respond, signIn } = responderFor({
      settings,
      records,
      log,
      turns,
      allowance: undefined,
      randomBytes: randomFillSync,
      mayWait: true,
      digest: (token) => hash('sha256', token, 'base64'),
      freshFetch,
    });
    const handler = guard(respond);
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
      storageAnswers: () => journal.ping().catch(() => {}),
      async stop() {
        providerProbe.stop();
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

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'another program has this port; set PORT to a free one';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return 'this machine does not have this address; set HOST to one of its own';
  }
  if (code === 'EACCES') return 'this port needs more rights; set PORT to 1024 or above';
  return error instanceof Error ? error.message : String(error);
}
