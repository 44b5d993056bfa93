// One service on Node, whatever its records are stored in: its port, its operations and its stop.

import { hash, randomFillSync } from 'node:crypto';
import { openSignIn } from '../../core/identity/sign-in.js';
import type { Log, LogFields } from '../../core/log.js';
import type { RecordService } from '../../core/records/record-service.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { buildHandler, type FetchHandler } from '../../handler.js';
import { messageOf } from '../../storage/file/connection-errors.js';
import { addressProblem } from '../settings/address-problem.js';
import { settingWarnings } from '../settings/warnings.js';
import type { Settings } from '../settings.js';
import { type HttpServerOptions, listen } from './http-server.js';
import { openOperations, type StartedParts, VERSION } from './operations.js';
import { probeProvider } from './provider-probe.js';
import { Turns } from './turns.js';

/** After a signal to stop, answers get this long to be written. With closing the file that is 15 s in all. */
const DRAIN_DEADLINE_MS = 12_000;
/**
 * With a socket that is handed over, a stop serves this much longer and says `Connection: close`.
 * A client that uses its connection in the meantime opens its next one at the next process. Closing an
 * idle connection at once could cut a request that is on its way.
 */
const LEAVE_MS = 1_000;

export interface Service {
  readonly origin: string;
  /** The origin of the operations port; undefined if the settings name no such port. */
  readonly operationsOrigin: string | undefined;
  /** What the log says of the start: release, file, records. */
  readonly facts: LogFields;
  /** Takes a backup if the settings name a folder. The log has the outcome. */
  backUp(): void;
  /** Stops listening, answers what is under way, and resolves when every acknowledged write is on disk. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly log: Log;
  /** Descriptor of a listening socket that was handed over; undefined: the settings name the address. */
  readonly socket?: number | undefined;
  /** Wraps the handler, to refuse some requests. */
  readonly guard?: (respond: FetchHandler) => HttpServerOptions['handler'];
}

/** The records with what the process does about their storage. */
export interface ServedRecords extends Omit<StartedParts, 'connections' | 'turns' | 'probe'> {
  readonly records: RecordService;
  readonly facts?: LogFields;
  /** Why no backup is taken here. */
  readonly backupHint: string;
  /** After the last answer. */
  close(): Promise<void>;
}

/**
 * `open` rejects with one sentence, and leaves nothing open then. Resolves when the service listens.
 * Rejects with one sentence that names the cause.
 */
export async function runOver(
  open: (turns: Turns, events: ServiceEvents | undefined) => Promise<ServedRecords>,
  options: ServiceOptions,
): Promise<Service> {
  const { settings, log } = options;
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  // Before the records are loaded: that may take long, and the port reports it.
  const operations = await openOperations(settings, log).catch((error: unknown) => {
    const { host, port } = settings.operations.port ?? {};
    const reason = addressProblem(error, 'OPS_') ?? messageOf(error);
    throw new Error(`the operations port cannot be opened on ${host}:${port}: ${reason}`);
  });
  const turns = new Turns();
  let served: ServedRecords | undefined;
  try {
    served = await open(turns, operations.events);
    return await serve(served, operations, turns, options);
  } catch (error) {
    await served?.close();
    await operations.close();
    throw error;
  }
}

async function serve(
  served: ServedRecords,
  operations: Awaited<ReturnType<typeof openOperations>>,
  turns: Turns,
  { settings, log, socket, guard }: ServiceOptions,
): Promise<Service> {
  const { backups, facts, backupHint, records } = served;
  const { events } = operations;
  const { host, port, adminKey, corsAllowedOrigins } = settings;
  const digest = (token: string) => hash('sha256', token, 'base64');
  const signIn = settings.signIn && openSignIn({ settings: settings.signIn, log, digest, events });
  const respond = buildHandler({
    records,
    identity: signIn?.identity,
    adminKey,
    onAdminKeyRefused: events && (() => events.adminKeyRefused()),
    corsAllowedOrigins,
    log,
    scheduler: turns.scheduler,
    randomBytes: randomFillSync,
  });
  const handler = guard === undefined ? respond : guard(respond);
  const { onConnection } = turns;
  const where = { host, port, socket };
  const how = { handler, corsAllowedOrigins, log, events, onConnection };
  const { origin, connections } = await listen({ ...where, ...how }).catch((error: unknown) => {
    const reason = addressProblem(error) ?? messageOf(error);
    throw new Error(`the service cannot listen on ${host}:${port}: ${reason}`);
  });
  if (socket !== undefined) {
    const hint = 'HOST and PORT are not used; the socket unit names the address';
    log.info('socket_handed_over', { address: origin, hint });
  }
  const stopping = new AbortController();
  const probe = probeProvider(signIn, log, stopping.signal);
  operations.started({ ...served, connections, turns, probe });
  backups?.begin();
  return {
    origin,
    operationsOrigin: operations.origin,
    facts: { version: VERSION, ...facts },
    backUp() {
      if (backups !== undefined) backups.takeNow();
      else log.warn('backup_not_configured', { hint: `backups are not configured; ${backupHint}` });
    },
    async stop() {
      stopping.abort();
      operations.stopping();
      backups?.stop();
      // The kernel keeps connections for the next process, so this one can stop slowly.
      await connections.drain(DRAIN_DEADLINE_MS, socket === undefined ? 0 : LEAVE_MS);
      await served.close();
      await turns.work.close();
      await operations.close();
    },
  };
}
