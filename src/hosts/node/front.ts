// The API on its port: the handler over some records, its sign-in, and the HTTP server. The same
// for a service over a file and over Postgres.

import { hash, randomFillSync } from 'node:crypto';
import type { FairScheduler } from '../../core/admission/fair-scheduler.js';
import type { Log } from '../../core/log.js';
import type { RecordService } from '../../core/records/record-service.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { Responder } from '../../handler.js';
import { responderFor } from '../responder.js';
import { addressProblem } from '../settings/address-problem.js';
import type { Settings } from '../settings.js';
import type { Arrivals } from './arrivals.js';
import { type HttpServer, type HttpServerOptions, listen } from './http-server.js';
import { ProviderProbe } from './provider-probe.js';

export interface FrontOptions {
  readonly settings: Settings;
  readonly records: RecordService;
  readonly log: Log;
  readonly scheduler: FairScheduler;
  readonly arrivals: Arrivals;
  readonly events: ServiceEvents | undefined;
  /** Descriptor of a listening socket that was handed over; undefined: the settings name the address. */
  readonly socket?: number | undefined;
  /** Wraps the handler, to refuse some requests. */
  readonly guard?: ((respond: Responder) => HttpServerOptions['handler']) | undefined;
}

export interface Front {
  readonly server: HttpServer;
  readonly providerProbe: ProviderProbe;
}

/** Resolves when it listens. Rejects with one sentence where the address cannot be had. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const { settings, records, log, scheduler, arrivals, events, socket, guard } = options;
  const { respond, signIn } = responderFor({
    settings,
    records,
    log,
    scheduler,
    admission: undefined,
    randomBytes: randomFillSync,
    mayWait: true,
    digest: (token) => hash('sha256', token, 'base64'),
    events,
    onAdminKeyRefused: events && (() => events.adminKeyRefused()),
  });
  const { host, port, corsAllowedOrigins } = settings;
  const handler = guard === undefined ? respond : guard(respond);
  let server: HttpServer;
  try {
    server = await listen({
      handler,
      host,
      port,
      socket,
      corsAllowedOrigins,
      log,
      events,
      arrivals,
    });
  } catch (error) {
    throw new Error(`the service cannot listen on ${host}:${port}: ${addressReason(error)}`);
  }
  if (socket !== undefined) {
    log.info('socket_handed_over', {
      address: server.origin,
      hint: 'HOST and PORT are not used; the socket unit names the address',
    });
  }
  return { server, providerProbe: new ProviderProbe({ signIn, log }) };
}

/** Why an address cannot be listened on. `prefix`: of the settings that name it. */
export function addressReason(error: unknown, prefix = ''): string {
  return addressProblem(error, prefix) ?? (error instanceof Error ? error.message : String(error));
}
