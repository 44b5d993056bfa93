// Runs one service on Node over any storage: its port, its monitoring and its shutdown.

import { hash, randomFillSync } from 'node:crypto';
import { FairScheduler } from '../../core/admission/fair-scheduler.js';
import { openSignIn } from '../../core/identity/sign-in.js';
import type { Log, LogFields } from '../../core/log.js';
import type { RecordService } from '../../core/records/record-service.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { buildHandler, type FetchHandler } from '../../handler.js';
import type { BackupSchedule } from '../../storage/backup/backup-schedule.js';
import type { StatusSources } from '../operations/status.js';
import type { Settings } from '../settings.js';
import { type HttpServerOptions, listen } from './http-server.js';
import { openOperations } from './operations.js';

/** How long a stop waits for responses to be written. With closing the file, a stop takes at most 15 s. */
const DRAIN_DEADLINE_MS = 12_000;
/**
 * With an inherited socket, a stop serves for this long and sends `Connection: close`, so that
 * clients reconnect. Closing an idle connection could cut a request in flight.
 */
const GRACE_PERIOD_MS = 1_000;

export type Service = Awaited<ReturnType<typeof startServer>>;

export interface ServiceOptions {
  readonly settings: Settings;
  /** The release, for the log and `/status`. */
  readonly version: string;
  readonly log: Log;
  /** Descriptor of an inherited listening socket; undefined: the settings have the address. */
  readonly socket?: number | undefined;
  /** Wraps the handler, to refuse some requests. */
  readonly guard?: (handler: FetchHandler) => HttpServerOptions['handler'];
}

/** Opened records, and what the process runs for their storage. */
export interface Backend extends Omit<StatusSources, 'connections' | 'scheduler'> {
  readonly records: RecordService;
  readonly backups?: BackupSchedule | undefined;
  /** Logged at startup. */
  readonly logFields?: LogFields;
  /** Called after the last response. */
  close(): Promise<void>;
}

/**
 * Resolves when the service listens. Rejects with one sentence that names the cause. `open` must do the
 * same, and leave nothing open if it rejects.
 */
export async function startWithBackend(
  open: (scheduler: FairScheduler, events: ServiceEvents | undefined) => Promise<Backend>,
  options: ServiceOptions,
) {
  const { settings, version, log } = options;
  // Before the records are loaded: that may take a while, and the port reports it.
  const operations = await openOperations(settings, version, log);
  // Records and responses share one scheduler, so that all long work of the process takes turns.
  const scheduler = new FairScheduler();
  let backend: Backend | undefined;
  try {
    backend = await open(scheduler, operations.events);
    return await startServer(backend, operations, scheduler, options);
  } catch (error) {
    await backend?.close();
    await operations.close();
    throw error;
  }
}

async function startServer(
  backend: Backend,
  operations: Awaited<ReturnType<typeof openOperations>>,
  scheduler: FairScheduler,
  { settings, version, log, socket, guard = (handler) => handler }: ServiceOptions,
) {
  const { backups, logFields, records } = backend;
  const { events } = operations;
  const digest = (token: string) => hash('sha256', token, 'base64');
  const signIn = settings.signIn && openSignIn({ settings: settings.signIn, log, digest, events });
  const handler = buildHandler({
    records,
    identity: signIn?.identity,
    adminKey: settings.adminKey,
    onAdminKeyRefused: events && (() => events.adminKeyRefused()),
    corsAllowedOrigins: settings.corsAllowedOrigins,
    log,
    scheduler,
    randomBytes: randomFillSync,
  });
  const listening = listen({ settings, socket, handler: guard(handler), log, events });
  const { origin, server, connections } = await listening;
  // Node accepts one connection in an event-loop turn (libuv since 1.45), so each of 300 new
  // connections would wait for a slice of work.
  server.on('connection', () => {
    scheduler.hasNewConnections = true;
  });
  if (socket !== undefined) log.info('socket_handed_over', { address: origin });
  operations.started({ ...backend, connections, scheduler });
  backups?.start();
  return {
    origin,
    /** Undefined if the settings name no operations port. */
    operationsOrigin: operations.origin,
    logFields: { version, ...logFields },
    /** Takes a backup if BACKUP_DIR is set; the log has the outcome. */
    backUp() {
      if (backups !== undefined) backups.takeNow();
      else log.warn('backup_not_configured', { hint: 'no backup was taken: BACKUP_DIR is unset' });
    },
    /** Stops listening, finishes the requests in progress, and resolves when every acknowledged write is on disk. */
    async stop() {
      operations.stopping();
      backups?.stop();
      // With an inherited socket, new connections wait in the kernel for the next process.
      await connections.drain(DRAIN_DEADLINE_MS, socket === undefined ? 0 : GRACE_PERIOD_MS);
      await backend.close();
      await operations.close();
    },
  };
}
