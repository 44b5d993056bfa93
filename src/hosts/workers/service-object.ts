// The service as one durable object: "a single API process and one database file". The platform
// runs at most one instance. It loads every record, and serves with the same handler as on Node.

import { DurableObject } from 'cloudflare:workers';
import type * as runtime from '@cloudflare/workers-types';
import { adminKeyCheck } from '../../core/http/authentication.js';
import {
  createHandler,
  FairScheduler,
  type Handler,
  openRecords,
  openSignIn,
} from '../../handler.js';
import { NDJSON } from '../../storage/dump/dump-lines.js';
import { ObjectRecordStorage } from '../../storage/object/object-record-storage.js';
import { SettingError } from '../settings/setting-error.js';
import { settingWarnings } from '../settings/warnings.js';
import { type Environment, readSettings } from '../settings.js';
import { environmentOf, log, type WorkerEnvironment } from './environment.js';
import { errorResponse } from './gateway.js';

/** For case-folded texts; a character takes at most two bytes. */
const SEARCH_MAX_CHARACTERS = 8_000_000;
/** The part of an object's 128 MB for requests. See `AdmissionLimits`. */
const ADMISSION = {
  accountMaxBytes: 4 * 1_048_576,
  totalMaxBytes: 16 * 1_048_576,
  ownShareBytes: 393_216,
};
/** The platform allows "six simultaneous open connections"; further checks would wait within their 4 s. */
const MAX_CONCURRENT_CHECKS = 6;

/**
 * The platform's clock stands still while a request computes, so steps are counted instead. A step of long
 * work (a window of a search, a chunk of a response, a group of payment rows) takes about 0.1 ms.
 */
const STEP_MS = 0.1;

export class ServiceObject extends DurableObject<WorkerEnvironment> {
  #respond!: Handler;

  constructor(...[ctx, env]: ConstructorParameters<typeof DurableObject<WorkerEnvironment>>) {
    super(ctx, env);
    // Requests wait for it. If it rejects, the object ends, and the next request tries again.
    void ctx.blockConcurrencyWhile(() => this.#open());
  }

  override async fetch(request: runtime.Request): Promise<runtime.Response> {
    const remoteAddress = () => request.headers.get('cf-connecting-ip') ?? undefined;
    const response = await this.#respond(request as unknown as Request, { remoteAddress });
    // The same classes at run time; only their declarations differ.
    return response as unknown as runtime.Response;
  }

  async #open(): Promise<void> {
    try {
      this.#respond = await this.#openWith(environmentOf(this.env));
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      log.error('setting_unusable', error);
      // Nothing is opened, because a wrong setting must not change a new database.
      const message = 'a setting of the service is invalid; its log says which one';
      this.#respond = async (request) => errorResponse(request, 'STORAGE_UNAVAILABLE', message);
    }
  }

  async #openWith(environment: Environment): Promise<Handler> {
    const { ctx } = this;
    const settings = readSettings(environment);
    const { signIn, adminKey, corsAllowedOrigins } = settings;
    for (const { event, hint } of settingWarnings(settings, environment)) log.warn(event, { hint });
    let steps = 0;
    const scheduler = new FairScheduler({ stopwatch: () => STEP_MS * steps++ });
    const options = { seedsSamples: settings.sampleRecords, pause: () => scheduler.pause() };
    const storage = new ObjectRecordStorage({ storage: ctx.storage, log, ...options });
    const records = await openRecords({
      storage,
      log,
      scheduler,
      limits: settings.accountLimits,
      searchMaxCharacters: SEARCH_MAX_CHARACTERS,
      // Memory and storage may differ. The next request gets a new object, which reads what is stored.
      onStorageLost: () => ctx.abort('storage is in doubt'),
    });
    const provider =
      signIn && openSignIn({ settings: signIn, log, maxConcurrentChecks: MAX_CONCURRENT_CHECKS });
    const respond = createHandler({
      records,
      identity: provider?.identity,
      adminKey,
      corsAllowedOrigins,
      log,
      scheduler,
      admission: ADMISSION,
    });
    if (environment['MAINTENANCE'] !== 'on') return respond;
    // A dump is a consistent snapshot, and a load replaces nothing that was written concurrently.
    await records.refuseWrites();
    const checkAdminKey = adminKeyCheck(adminKey);
    return async (request, host) => {
      if (new URL(request.url).pathname !== '/maintenance') return respond(request, host);
      const outcome = checkAdminKey(request);
      if (outcome.ok) return this.#maintain(storage, request);
      return errorResponse(request, outcome.failure.code, outcome.failure.message);
    };
  }

  /** GET responds with a dump of the whole service; PUT loads a dump, compressed by gzip. */
  async #maintain(storage: ObjectRecordStorage, request: Request): Promise<Response> {
    if (request.method === 'GET') {
      const chunks = storage.dumpText();
      const text = new ReadableStream<string>({
        pull(controller) {
          const { value, done } = chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      }).pipeThrough(new TextEncoderStream());
      return new Response(text, { headers: { 'Content-Type': NDJSON } });
    }
    try {
      await storage.loadDump(await request.arrayBuffer());
      await this.#open();
      return new Response(null, { status: 204 });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return errorResponse(request, 'VALIDATION_FAILED', message);
    }
  }
}
