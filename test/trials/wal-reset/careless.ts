// The control of the trial `wal-reset`: a program writes the service's log back whenever it likes,
// as Litestream would in its own rhythm. With a SQLite that has the WAL-reset defect, commits are
// lost; with one that has the mend, none is.
//
// The defect (sqlite.org/wal.html, "The WAL-Reset Bug"): a checkpoint reads the log's index, finds
// nothing to do, and before it says so another connection begins the log anew. The checkpoint then
// counts the first frames of the new log as written back, which they never are. That moment lasts
// a few nanoseconds, so the program is stopped in its loop, one write is made, and it goes on.

import { closeSync, copyFileSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../scripts/bench/processes.js';
import { newSeed, randomFrom } from '../load/random.js';
import { type Client, clientOf } from '../service/requests.js';
import { spawnServer } from '../service/service-process.js';
import { type Comparison, compared } from './compared.js';

export interface CarelessOptions {
  /** A file of `records` customers of `account`. */
  readonly data: { readonly file: string; readonly account: string; readonly records: number };
  /** Whose SQLite writes the log back: 3.45.1 with the defect, or 3.53.2 with the mend. */
  readonly library: 'libsql' | 'better-sqlite3';
  readonly folder: string;
  readonly identityOrigin: string;
  /** It ends after so many hits, or after so long. */
  readonly enoughHits: number;
  readonly lastsMs: number;
}

export interface CarelessRace extends Comparison {
  /** Of the SQLite that wrote the log back. */
  readonly version: string;
  readonly attempts: number;
  /** Attempts after which more of the log counts as written back than it has. */
  readonly hits: number;
  readonly failed: number;
  readonly tookMs: number;
}

const PROGRAM = fileURLToPath(new URL('../service/write-log-back.js', import.meta.url));
/** At once: each of them makes the log longer, and only a log that was longer than the new one hides frames. */
const WRITES_AT_ONCE = 24;
/** After the last hit, so that the log is begun anew and what it held is gone. */
const MORE_ROUNDS = 50;
/** The program writes everything back in this time, and then finds nothing to do. */
const CAUGHT_UP_MS = 3;
/** Offsets in the log's index (sqlite.org/walformat.html, 2.1). */
const [INDEX_BYTES, LAST_FRAME, WRITTEN_BACK] = [100, 16, 96];

export async function carelessRace(options: CarelessOptions): Promise<CarelessRace> {
  const { data, library, folder, enoughHits, lastsMs } = options;
  const file = join(folder, 'service.db');
  copyFileSync(data.file, file);
  const { service, client } = await started(file, options);
  const program = startProcess(process.execPath, [PROGRAM, file, library]);
  const [version] = await program.saw(/SQLite [\d.]+/);
  const writer = new RandomWriter(client, data);
  const began = performance.now();
  let [attempts, hits, left] = [0, 0, MORE_ROUNDS];
  const random = randomFrom(newSeed());
  try {
    while (performance.now() - began < lastsMs && (hits < enoughHits || left-- > 0)) {
      attempts++;
      process.kill(program.pid, 'SIGSTOP');
      await Promise.all(Array.from({ length: WRITES_AT_ONCE }, (_, turn) => writer.change(turn)));
      process.kill(program.pid, 'SIGCONT');
      await delay(CAUGHT_UP_MS * random.fraction() + 1);
      process.kill(program.pid, 'SIGSTOP');
      await writer.change(0);
      process.kill(program.pid, 'SIGCONT');
      await delay(1);
      const { lastFrame, writtenBack } = indexOf(file);
      if (writtenBack > lastFrame) hits++;
    }
  } finally {
    process.kill(program.pid, 'SIGKILL');
  }
  const tookMs = performance.now() - began;
  client.close();
  await service.end('SIGTERM');
  const found = await compared(file, writer.known);
  return { ...found, version, attempts, hits, failed: writer.failed, tookMs };
}

/** With a replica that never answers, so that another program may open the file. */
async function started(file: string, { folder, identityOrigin }: CarelessOptions) {
  const service = spawnServer({
    environment: {
      DATABASE_URL: `file:${file}`,
      AUTH_USERINFO_URL: `${identityOrigin}/userinfo`,
      AUTH_CACHE_SECONDS: '300',
      DATABASE_CREATE: 'yes',
      REPLICATION: 'async',
      LITESTREAM_SOCKET: join(folder, 'nobody'),
    },
  });
  const { address } = await service.saw('started');
  return { service, client: clientOf(String(address)) };
}

/** Changes records of a large account at random: a page is seldom written twice, so a lost one stays lost. */
class RandomWriter {
  readonly #client: Client;
  readonly #data: CarelessOptions['data'];
  readonly #random = randomFrom(newSeed());
  readonly known = new Map<string, number>();
  failed = 0;
  #value = 0;

  constructor(client: Client, data: CarelessOptions['data']) {
    this.#client = client;
    this.#data = data;
  }

  /** `turn`: below `WRITES_AT_ONCE`. Two turns never change one record. */
  async change(turn: number): Promise<void> {
    const { account, records } = this.#data;
    const last = Math.floor(records / WRITES_AT_ONCE) - 1;
    const number = this.#random.between(0, last) * WRITES_AT_ONCE + turn + 1;
    const id = `CUS-${String(number).padStart(4, '0')}`;
    const value = ++this.#value;
    const call = { method: 'PATCH', path: `/customers/${id}`, account, body: { value } } as const;
    const answer = await this.#client.send(call).catch(() => undefined);
    if (answer?.status !== 200) this.failed++;
    else this.known.set(id, value);
  }
}

/** In frames. */
function indexOf(file: string) {
  const bytes = Buffer.alloc(INDEX_BYTES);
  const index = openSync(`${file}-shm`, 'r');
  readSync(index, bytes, 0, INDEX_BYTES, 0);
  closeSync(index);
  // In the machine's own byte order, which is this one wherever Node runs but on few mainframes.
  return {
    lastFrame: bytes.readUInt32LE(LAST_FRAME),
    writtenBack: bytes.readUInt32LE(WRITTEN_BACK),
  };
}
