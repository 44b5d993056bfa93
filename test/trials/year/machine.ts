// The machine of one operator: the built service on its folders, clients that keep a ledger of
// what was acknowledged, and a clock whose days pass at once.

import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { freePort } from '../../../scripts/free-port.js';
import { root } from '../../../scripts/setup.js';
import { eventually } from '../../support/eventually.js';
import {
  type LitestreamHome,
  type LitestreamProcess,
  litestreamHome,
} from '../../support/litestream.js';
import { type ProgramRun, startProgram } from '../../support/program.js';
import type { LogLine } from '../../support/server-process.js';
import type { Random } from '../load/random.js';
import { ADMIN_KEY, type Service, spawnServer } from '../service/service-process.js';
import { Clients } from './clients.js';
import { type Clock, DAY_MS } from './clock.js';
import { openProvider, type Provider } from './provider.js';

/** Of the clients, in a day. */
export const CHANGES = 4;
/** A backup is due when its interval has passed; the look at it comes once a minute. */
const A_LITTLE_MS = 120_000;
const BACKUP_NAME = /^service-\d.*Z\.db$/;
export const BACKUPS_KEPT = 7;

export interface MachineOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The program, beside the service with REPLICATION=sync, in place of backups. */
  readonly litestream?: string | undefined;
}

export interface StartOptions {
  readonly script?: string;
  readonly under?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Start {
  /** Whether it listens; otherwise the process has ended. */
  readonly isUp: boolean;
  readonly code: number | null | undefined;
  readonly milliseconds: number;
  readonly log: readonly LogLine[];
}

export class Machine {
  readonly folder: string;
  readonly file: string;
  readonly backups: string;
  readonly clock: Clock;
  litestream: LitestreamHome | undefined;
  readonly #litestreamProgram: string | undefined;
  #replicas = 0;
  /** What was acknowledged when each backup was taken, by its name: the number of the last change. */
  readonly #moments = new Map<string, number>();
  readonly clients: Clients;
  readonly #ended: LogLine[] = [];
  readonly provider: Provider;
  readonly #ports: readonly [api: number, operations: number];
  #replicating: LitestreamProcess | undefined;
  #service: Service | undefined;
  adminKey = ADMIN_KEY;
  day = 0;

  private constructor(
    options: MachineOptions,
    provider: Provider,
    ports: readonly [number, number],
  ) {
    this.folder = options.folder;
    this.clock = options.clock;
    this.#litestreamProgram = options.litestream;
    this.clients = new Clients(options.random);
    this.provider = provider;
    this.#ports = ports;
    this.file = join(options.folder, 'data/service.db');
    this.backups = join(options.folder, 'backups');
    mkdirSync(join(options.folder, 'data'), { recursive: true });
    mkdirSync(this.backups);
    this.writeKeys([ADMIN_KEY]);
  }

  static async open(options: MachineOptions): Promise<Machine> {
    const ports = [await freePort(), await freePort()] as const;
    const machine = new Machine(options, await openProvider(), ports);
    machine.beginReplica();
    return machine;
  }

  get keyFile(): string {
    return join(this.folder, 'admin-key');
  }

  /** The ledger of erased accounts. */
  get erasures(): string {
    return this.litestream === undefined
      ? `${this.backups}-erased.ndjson`
      : join(this.folder, 'erased.ndjson');
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  get operations(): string {
    return `http://127.0.0.1:${this.#ports[1]}`;
  }

  get service(): Service | undefined {
    return this.#service;
  }

  /** Every line of every process so far. */
  get log(): readonly LogLine[] {
    return [...this.#ended, ...(this.#service?.log() ?? [])];
  }

  /** The settings that the service and the operator's commands share. */
  get settings(): Record<string, string> {
    const kept = this.litestream
      ? { ERASURE_LEDGER: this.erasures }
      : { BACKUP_DIR: this.backups, BACKUP_KEEP: String(BACKUPS_KEPT) };
    return { DATABASE_URL: `file:${this.file}`, ...kept, ...this.clock.environment };
  }

  writeKeys(keys: readonly string[]): void {
    writeFileSync(this.keyFile, `${keys.join('\n')}\n`, { mode: 0o600 });
  }

  /** Resolves when the service listens, or when the process has ended. */
  async start(how: StartOptions = {}): Promise<Start> {
    const began = performance.now();
    const service = spawnServer({
      ...how,
      environment: { ...this.#serviceSettings, ...how.environment },
    });
    const isUp = await service.saw('started').then(
      () => true,
      () => false,
    );
    const milliseconds = performance.now() - began;
    const code = isUp ? undefined : await service.exited;
    if (isUp) {
      this.#service = service;
      this.clients.connect(this.origin, this.adminKey);
    } else this.#ended.push(...service.log());
    return { isUp, code, milliseconds, log: service.log() };
  }

  /** What `--check` says of the settings, with its exit code. */
  check(): Promise<ProgramRun> {
    const environment = { PORT: '0', ...this.#serviceSettings };
    return startProgram([process.execPath, join(root, 'dist/server.js'), '--check'], {
      environment,
    }).ended;
  }

  get #serviceSettings(): Record<string, string> {
    const [port, operations] = this.#ports;
    return {
      ...this.settings,
      ...(this.litestream && {
        REPLICATION: 'sync',
        LITESTREAM_SOCKET: this.litestream.socketPath,
      }),
      ADMIN_API_KEY: '',
      ADMIN_API_KEY_FILE: this.keyFile,
      AUTH_USERINFO_URL: this.provider.url,
      PORT: String(port),
      OPS_PORT: String(operations),
    };
  }

  /** Resolves with the exit code; undefined where no service runs. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null | undefined> {
    const service = this.#service;
    this.clients.disconnect();
    const code = await service?.end(signal);
    this.#ended.push(...(service?.log() ?? []));
    this.#service = undefined;
    return code;
  }

  startLitestream(): void {
    this.#replicating ??= this.litestream?.start();
  }

  /** A replica at a new path, as the page says after a restore. */
  beginReplica(): void {
    if (this.#litestreamProgram === undefined) return;
    this.#replicas++;
    const replica = [`url: file://${join(this.folder, `replica-${this.#replicas}`)}`];
    const plan = { program: this.#litestreamProgram, folder: this.folder, replica };
    this.litestream = litestreamHome(plan);
    this.startLitestream();
  }

  /** The newest state of the replica, or that of a time, in the place of the database. Neither program may run. */
  restoreReplica(at?: Date): void {
    rmSync(dirname(this.file), { recursive: true, force: true });
    mkdirSync(dirname(this.file));
    this.litestream?.restore(at);
    chmodSync(this.file, 0o600);
    this.beginReplica();
  }

  async endLitestream(signal: NodeJS.Signals): Promise<void> {
    await this.#replicating?.end(signal);
    this.#replicating = undefined;
  }

  async close(): Promise<void> {
    await this.end('SIGKILL');
    await this.endLitestream('SIGKILL');
    await this.provider.close();
  }

  /** Days of ordinary work. Where backups are on, each day ends with one, or with its failure. */
  async pass(days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      await this.clients.change(CHANGES);
      await this.quietDay();
    }
  }

  /** A day without clients. */
  async quietDay(): Promise<void> {
    this.day++;
    if (!this.clock.isMovable) {
      await this.backUpNow();
      return;
    }
    const since = this.#now();
    // No connection lives through a quiet day.
    this.clients.rest();
    this.clock.pass(DAY_MS + A_LITTLE_MS);
    if (this.litestream === undefined) await this.#backedUp(since);
  }

  /** As the page says: with SIGUSR2. */
  async backUpNow(): Promise<void> {
    if (this.litestream !== undefined || this.#service === undefined) return;
    const since = this.#now();
    this.#service.child.kill('SIGUSR2');
    await this.#backedUp(since);
  }

  /** Oldest first. */
  backupNames(): string[] {
    if (!existsSync(this.backups)) return [];
    return readdirSync(this.backups)
      .filter((name) => BACKUP_NAME.test(name))
      .sort();
  }

  /** Runs a command of the operator's, such as `restore`. */
  run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const environment = {
      ...this.settings,
      SERVICE_URL: `${this.origin}/api/v1`,
      ADMIN_API_KEY_FILE: this.keyFile,
      ...more,
    };
    return startProgram([process.execPath, join(root, 'dist/manage.js'), ...args], { environment })
      .ended;
  }

  /** Puts a backup in the place of the database. `lost`: acknowledged changes that it does not have. */
  async restore(name: string): Promise<ProgramRun & { readonly lost: number }> {
    const ran = await this.run(['restore', join(this.backups, name)]);
    if (ran.code !== 0) throw new Error(`restore: ${ran.stderr}`);
    return { ...ran, lost: this.clients.ledger.goBack(this.#moments.get(name) ?? 0) };
  }

  #now(): { readonly line: number; readonly name: string } {
    const time = new Date(this.clock.now()).toISOString().replaceAll(':', '-');
    return { line: this.log.length, name: `service-${time}.db` };
  }

  /** Resolves when a backup that began since then is taken, or one failed. An earlier one, as of a first start, may still be under way. */
  async #backedUp(since: { readonly line: number; readonly name: string }): Promise<void> {
    if (this.#service === undefined) return;
    const isOver = ({ event, file }: LogLine) =>
      event === 'backup_failed' ||
      (event === 'backup_taken' && basename(String(file)) >= since.name);
    await eventually(async () => {
      // The question wakes the process, whose timers are then due.
      await fetch(`${this.operations}/live`).catch(() => undefined);
      if (!this.log.slice(since.line).some(isOver)) throw new Error('no backup was taken');
    });
    for (const name of this.backupNames()) {
      if (!this.#moments.has(name)) this.#moments.set(name, this.clients.ledger.begun);
    }
  }
}
