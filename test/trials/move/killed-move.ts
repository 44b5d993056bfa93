// A move to Workers and back, during which the move and the Workers are killed in turns.
// In the end every record, id, time, place, audit event and highest number is compared.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { freePort } from '../../../scripts/free-port.js';
import type {
  EventPlace,
  LeavingEvents,
  LeavingPiece,
} from '../../../src/storage/move/move-messages.js';
import { askMaintenance, moveWorkersToKill, startMove } from '../../support/move-command.js';
import type { Program } from '../../support/program.js';
import { startServer } from '../../support/server-process.js';
import { contentsOf, type FileContents, makeShopFile } from '../../support/shop-file.js';
import type { WorkerProcess } from '../../support/worker-process.js';
import { ADMIN_KEY } from '../service/service-process.js';
import type { Finding } from '../trial.js';

const LOOK_MS = 20;
const RUNS_MAX = 40;

export interface ShopSize {
  readonly accounts: number;
  readonly records: number;
  readonly events: number;
}

export interface KilledMoveOptions {
  readonly folder: string;
  readonly shop: ShopSize;
  /** In all: half of them on the way there, half on the way back; half of the move, half of the Workers. */
  readonly kills: number;
  say(text: string): void;
}

export function subjectsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `auth0|duka/${i} & "mwana"`);
}

export async function killedMove(options: KilledMoveOptions): Promise<Finding> {
  const { folder, shop, kills, say } = options;
  const file = join(folder, 'shop.db');
  const back = join(folder, 'back.db');
  await makeShopFile(file, { ...shop, accounts: subjectsOf(shop.accounts) });
  const before = await contentsOf(file);
  const killer = await Killer.start(folder, subjectsOf(shop.accounts));
  try {
    const there = await killer.run(['--from', file, '--to', killer.url], options, {
      kills: kills / 2,
      whole: shop.records,
    });
    say('all there; comparing');
    const onWorkers = await contentsOfWorkers(killer.url, before);
    const home = await killer.run(['--from', killer.url, '--to', back], options, {
      kills: kills / 2,
      whole: statSync(file).size,
    });
    const after = await contentsOf(back);
    const started = await recordsServed(back);
    const isSame = isDeepStrictEqual(after, before) && onWorkers.differences === 0;
    const differences = onWorkers.differences + differencesOf(before, after);
    return {
      fault: 'kill -9 of the move and of the Workers, there and back',
      tried: `${shop.accounts} accounts, ${shop.records} records, ${shop.events} audit events; ${killer.killedMoves} kills of the move, ${killer.killedWorkers} of the Workers, while ${killer.moments.join(', ')} records were there; ${there.runs + home.runs} runs`,
      found: `${onWorkers.records} records compared on Workers, ${recordsOf(after)} back in a file, ${differences} differences in records, ids, times, order, audit events and highest numbers; the service serves ${started}`,
      holds:
        isSame &&
        differences === 0 &&
        started === shop.records &&
        there.code === 0 &&
        home.code === 0 &&
        killer.killedMoves + killer.killedWorkers === kills,
    };
  } finally {
    await killer.stop();
  }
}

class Killer {
  killedMoves = 0;
  killedWorkers = 0;
  /** How many records had arrived at each kill. */
  readonly moments: number[] = [];
  readonly url: string;
  readonly #start: () => Promise<WorkerProcess>;
  readonly #owners: readonly string[];
  #workers: WorkerProcess;
  #move: Program | undefined;

  private constructor(
    url: string,
    owners: readonly string[],
    start: () => Promise<WorkerProcess>,
    workers: WorkerProcess,
  ) {
    this.url = url;
    this.#owners = owners;
    this.#start = start;
    this.#workers = workers;
  }

  static async start(folder: string, owners: readonly string[]): Promise<Killer> {
    const ports = [await freePort(), await freePort()] as const;
    const { maintenance, start } = await moveWorkersToKill(folder, ports);
    return new Killer(maintenance, owners, start, await start());
  }

  async stop(): Promise<void> {
    this.#move?.child.kill('SIGKILL');
    await this.#workers.kill();
  }

  /**
   * Runs the command until it has done its work; kills so often on the way, at even parts of
   * the `whole`: records on Workers, or bytes of the file. A run that ends because no Worker
   * answers is begun again.
   */
  async run(
    args: readonly string[],
    { say }: KilledMoveOptions,
    { kills, whole }: { readonly kills: number; readonly whole: number },
  ) {
    let runs = 0;
    const begin = () => {
      runs++;
      this.#move = startMove(args);
      return this.#move;
    };
    let move = begin();
    for (let kill = 1; kill <= kills; kill++) {
      const isMove = (this.killedMoves + this.killedWorkers) % 2 === 0;
      while ((await this.#progress(args)) < (whole * kill) / (kills + 1)) {
        const code = await Promise.race([move.ended.then((end) => end.code), delay(LOOK_MS, -1)]);
        if (code === 0) break;
        if (code !== -1) move = begin();
      }
      if (move.child.exitCode === 0) break;
      if (isMove) {
        move.child.kill('SIGKILL');
        await move.ended;
        this.killedMoves++;
        this.moments.push(await this.#arrived());
        move = begin();
      } else {
        await this.#workers.kill();
        this.killedWorkers++;
        this.#workers = await this.#start();
        this.moments.push(await this.#arrived());
      }
      say(`${kill} kills, ${this.moments.at(-1)} records are on Workers`);
    }
    for (;;) {
      const { code, stdout, stderr } = await move.ended;
      say(`${code}: ${stdout.trim()} ${code === 0 ? '' : stderr.trim()}`);
      if (code === 0 || runs > RUNS_MAX) return { code, runs };
      move = begin();
    }
  }

  /** Something that grows while the command works: records on Workers, or bytes in the file. */
  async #progress(args: readonly string[]): Promise<number> {
    const file = args.at(-1) ?? '';
    if (file === this.url) return this.#arrived();
    const sizes = ['.moving', '.moving-wal', '.new'].map(
      (ending) => statSync(file + ending, { throwIfNoEntry: false })?.size,
    );
    return sizes.reduce<number>((sum, size = 0) => sum + size, 0);
  }

  /** As the objects say. */
  async #arrived(): Promise<number> {
    const states = this.#owners.map((owner) =>
      askMaintenance(this.url, 'GET', `/state?account=${encodeURIComponent(owner)}`),
    );
    const counts = (await Promise.all(states)).map(
      ({ json }) => (json.data as { records: number } | undefined)?.records ?? 0,
    );
    return counts.reduce((sum, records) => sum + records, 0);
  }
}

/** Reads every row and event from the Workers and compares it, digests aside. */
async function contentsOfWorkers(url: string, before: FileContents) {
  let differences = 0;
  let records = 0;
  for (const [owner, rows] of before.accounts) {
    const found: unknown[] = [];
    for (let after = 0; ; ) {
      const path = `/records?account=${encodeURIComponent(owner)}&after=${after}`;
      const piece = await data<LeavingPiece>(url, path);
      found.push(...piece.rows);
      after = piece.last;
      if (piece.isLast) break;
    }
    records += found.length;
    if (!isDeepStrictEqual(found, rows)) differences++;
    const { sequences } = await data<{ sequences: object }>(
      url,
      `/state?account=${encodeURIComponent(owner)}`,
    );
    if (!isDeepStrictEqual(sequences, before.sequences)) differences++;
  }
  const events: string[] = [];
  for (let place: EventPlace = { timestamp: '', id: 0 }; ; ) {
    const path = `/audit-events?timestamp=${encodeURIComponent(place.timestamp)}&id=${place.id}`;
    const piece = await data<LeavingEvents>(url, path);
    events.push(...piece.events);
    place = piece.last;
    if (piece.isLast) break;
  }
  if (!isDeepStrictEqual(events, before.events)) differences++;
  return { records, differences };
}

async function data<T>(url: string, path: string): Promise<T> {
  const { json, status } = await askMaintenance(url, 'GET', path);
  if (json.data === undefined) throw new Error(`${path}: ${status} ${json.error?.message}`);
  return json.data;
}

function differencesOf(before: FileContents, after: FileContents): number {
  const owners = new Set([...before.accounts.keys(), ...after.accounts.keys()]);
  const accounts = [...owners].filter(
    (owner) => !isDeepStrictEqual(before.accounts.get(owner), after.accounts.get(owner)),
  );
  return (
    accounts.length +
    Number(!isDeepStrictEqual(before.events, after.events)) +
    Number(!isDeepStrictEqual(before.sequences, after.sequences))
  );
}

function recordsOf({ accounts }: FileContents): number {
  return [...accounts.values()].reduce((sum, rows) => sum + rows.length, 0);
}

/** Starts the service on the file and asks the operator's view. */
export async function recordsServed(file: string): Promise<number> {
  const server = await startServer({ DATABASE_URL: `file:${file}`, ADMIN_API_KEY: ADMIN_KEY });
  try {
    const response = await fetch(`${server.origin}/api/v1/admin/overview`, {
      headers: { 'X-Service-Admin-Key': ADMIN_KEY },
    });
    const { data: overview } = (await response.json()) as { data: { record_count: number } };
    return overview.record_count;
  } finally {
    await server.stop();
  }
}
