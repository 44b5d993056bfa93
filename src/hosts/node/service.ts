// One service on Node, whatever its records are stored in: its port, its operations and its stop.

import { hash, randomFillSync } from 'node:crypto';
import { openSignIn } from '../../core/identity/sign-in.js';
import type { Log, LogFields } from '../../core/log.js';
import type { RecordService } from '../../core/records/record-service.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { buildHandler, type FetchHandler } from '../../handler.js';
import { addressProblem } from '../settings/address-problem.js';
import { settingWarnings } from '../settings/warnings.js';
import type { Settings } from '../settings.js';
import { type HttpServerOptions, listen } from './http-server.js';
import { Operations, type StartedParts, VERSION } from './operations.js';
import { ProviderProbe } from './provider-probe.js';
import { Turns } from './turns.js';

/** After a signal to stop, answers get this long to be written. With closing the file that is 15 s in all. */
const DRAIN_DEADLINE_MS = 12_000;

export interface Service {
  readonly origin: string;
  /** The origin of the operations port; undefined if the settings name no such port. */
  readonly operationsOrigin: string | undefined;
  /** What the log says of the start: release, file, records. */
  readonly facts: LogFields;
  /** Takes a backup if the settings name a folder. The log has the outcome. */
  backUp(): void;
  /** Resolves when storage has answered a call, with any answer. */
  storageAnswers(): Promise<void>;
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
export interface ServedRecords extends Omit<StartedParts, 'server' | 'turns' | 'probe'> {
  readonly records: RecordService;
  readonly facts?: LogFields;
  /** Why no backup is taken here. */
  readonly backupHint: string;
  /** After the last answer. */
  close(): Promise<void>;
}

/** Opens the records. Rejects with one sentence, and leaves nothing open then. */
export type OpenServedRecords = (
  turns: Turns,
  events: ServiceEvents | undefined,
) => Promise<ServedRecords>;

/** Resolves when the service listens. Rejects with one sentence that names the cause. */
export async function runOver(open: OpenServedRecords, options: ServiceOptions): Promise<Service> {
  const { settings, log } = options;
  for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
  const operations = new Operations(settings);
  const turns = new Turns();
  let served: ServedRecords | undefined;
  try {
    // Before the records are loaded: that may take long, and the port reports it.
    await operations.open(log).catch((error: unknown) => {
      const { host, port } = settings.operations.port ?? {};
      const reason = addressReason(error, 'OPS_');
      throw new Error(`the operations port cannot be opened on ${host}:${port}: ${reason}`);
    });
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
  operations: Operations,
  turns: Turns,
  { settings, log, socket, guard }: ServiceOptions,
): Promise<Service> {
  const { storage, backups, facts, backupHint, records } = served;
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
  const server = await listen({ ...where, ...how }).catch((error: unknown) => {
    throw new Error(`the service cannot listen on ${host}:${port}: ${addressReason(error)}`);
  });
  if (socket !== undefined) {
    const hint = 'HOST and PORT are not used; the socket unit names the address';
    log.info('socket_handed_over', { address: server.origin, hint });
  }
  const probe = new ProviderProbe(signIn, log);
  operations.started({ ...served, server, turns, probe });
  backups?.begin();
  return {
    origin: server.origin,
    operationsOrigin: operations.origin,
    facts: { version: VERSION, ...facts },
    backUp() {
      if (backups !== undefined) backups.takeNow();
      else log.warn('backup_not_configured', { hint: `backups are not configured; ${backupHint}` });
    },
    storageAnswers: () => storage.ping().catch(() => {}),
    async stop() {
      probe.stop();
      operations.stopping();
      backups?.stop();
      await server.drain(DRAIN_DEADLINE_MS);
      await served.close();
      await turns.work.close();
      await operations.close();
    },
  };
}

/** Why an address cannot be listened on. `prefix`: of the settings that name it. */
function addressReason(error: unknown, prefix = ''): string {
  return addressProblem(error, prefix) ?? (error instanceof Error ? error.message : String(error));
}
