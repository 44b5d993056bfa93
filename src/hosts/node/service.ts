// One service on Node, whatever its records are stored in: its port, its operations and its stop.

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
import { openOperations, VERSION } from './operations.js';

/** How long a stop waits for answers to be written. Closing the file included, it takes at most 15 s. */
const DRAIN_DEADLINE_MS = 12_000;
/**
 * With an inherited socket, a stop keeps serving this long and sends `Connection: close`, so
 * that clients open their next connection. Closing an idle one could cut a request on its way.
 */
const GRACE_PERIOD_MS = 1_000;

export type Service = Awaited<ReturnType<typeof serve>>;

export interface ServiceOptions {
  readonly settings: Settings;
  readonly log: Log;
  /** Descriptor of a listening socket that was handed over; undefined: the settings name the address. */
  readonly socket?: number | undefined;
  /** Wraps the handler to refuse some requests. */
  readonly guard?: (respond: FetchHandler) => HttpServerOptions['handler'];
}

/** The records, and what the process runs for their storage. */
export interface Backend extends Omit<StatusSources, 'connections' | 'scheduler'> {
  readonly records: RecordService;
  readonly backups?: BackupSchedule | undefined;
  readonly facts?: LogFields;
  /** After the last answer. */
  close(): Promise<void>;
}

/**
 * `open` rejects with one sentence, and leaves nothing open then. Resolves when the service listens.
 * Rejects with one sentence that names the cause.
 */
export async function startOver(
  open: (scheduler: FairScheduler, events: ServiceEvents | undefined) => Promise<Backend>,
  options: ServiceOptions,
) {
  const { settings, log } = options;
  // Before the records are loaded: that may take long, and the port reports it.
  const operations = await openOperations(settings, log);
  // All long work of the process takes turns: records and answers share the scheduler.
  const scheduler = new FairScheduler();
  let served: Backend | undefined;
  try {
    served = await open(scheduler, operations.events);
    return await serve(served, operations, scheduler, options);
  } catch (error) {
    await served?.close();
    await operations.close();
    throw error;
  }
}

async function serve(
  served: Backend,
  operations: Awaited<ReturnType<typeof openOperations>>,
  scheduler: FairScheduler,
  { settings, log, socket, guard = (respond) => respond }: ServiceOptions,
) {
  const { backups, facts, records } = served;
  const { events } = operations;
  const digest = (token: string) => hash('sha256', token, 'base64');
  const signIn = settings.signIn && openSignIn({ settings: settings.signIn, log, digest, events });
  const respond = buildHandler({
    records,
    identity: signIn?.identity,
    adminKey: settings.adminKey,
    onAdminKeyRefused: events && (() => events.adminKeyRefused()),
    corsAllowedOrigins: settings.corsAllowedOrigins,
    log,
    scheduler,
    randomBytes: randomFillSync,
  });
  const listening = listen({ settings, socket, handler: guard(respond), log, events });
  const { origin, server, connections } = await listening;
  // Node accepts one connection in an event-loop turn (libuv since 1.45), so each of 300 new
  // connections would wait for a slice of work.
  server.on('connection', () => {
    scheduler.givesWay = true;
  });
  // HOST and PORT are not used.
  if (socket !== undefined) log.info('socket_handed_over', { address: origin });
  operations.started({ ...served, connections, scheduler });
  backups?.start();
  return {
    origin,
    /** Undefined if the settings name no operations port. */
    operationsOrigin: operations.origin,
    /** Logged at startup: release, file, records. */
    facts: { version: VERSION, ...facts },
    /** Takes a backup if the settings name a folder. The log has the outcome. */
    backUp() {
      if (backups !== undefined) backups.takeNow();
      else log.warn('backup_not_configured', { hint: 'no backup was taken: BACKUP_DIR is unset' });
    },
    /** Stops listening, answers what is under way, and resolves when every acknowledged write is on disk. */
    async stop() {
      operations.stopping();
      backups?.stop();
      // The kernel keeps connections for the next process, so this one can stop slowly.
      await connections.drain(DRAIN_DEADLINE_MS, socket === undefined ? 0 : GRACE_PERIOD_MS);
      await served.close();
      await operations.close();
    },
  };
}
