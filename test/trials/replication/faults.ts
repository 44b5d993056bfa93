// What happens to Litestream, its replica or the service under load, before the disaster.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { privateMounts } from '../../support/private-mounts.js';
import type { Random } from '../load/random.js';
import type { Disaster } from './disaster.js';

/** Where the replica of one life is, and what its Litestream and its writers do differently. */
export interface Surroundings {
  /** Lines of the replica in Litestream's file; default: a folder. */
  readonly replica?: readonly string[];
  /** More lines of the database's entry. */
  readonly more?: readonly string[];
  /** Of each record that is written; default 200. */
  readonly noteCharacters?: number;
  readonly happen: (life: Disaster, random: Random) => Promise<void>;
  readonly end: () => Promise<void>;
}

export interface Fault {
  readonly name: string;
  /** What a machine needs that cannot make it. */
  readonly needs?: string;
  /** Undefined where this machine cannot make it. */
  readonly begin: (folder: string) => Promise<Surroundings | undefined>;
}

const LITESTREAM_AWAY_MS = 800;
const STOPPED_MS = 1_500;
/** More than all that is sent in one life. */
const SMALL_DISK_BYTES = 256_000_000;
const FILL_PIECE_BYTES = 65_536;
/** 32 MB of log, of 4 KiB each. */
const LARGE_LOG_PAGES = 8_000;
const LARGE_NOTE_CHARACTERS = 20_000;

export const PLAIN = 'nothing else';

export const FAULTS: readonly Fault[] = [
  simple(PLAIN, async () => {}),
  simple('Litestream killed and restarted', (life) => life.restartLitestream(LITESTREAM_AWAY_MS)),
  simple('Litestream stopped for a while', (life) => life.holdLitestream(STOPPED_MS)),
  simple('the service killed and restarted', (life) => life.restartService()),
  simple('the replica cannot be written for a while', withoutReplica),
  {
    name: 'the replica is full for a while',
    needs: 'this user may not mount',
    begin: fullReplica,
  },
  {
    name: 'a log of 32 MB is written back, again and again',
    begin: async () => ({
      more: [`min-checkpoint-page-count: ${LARGE_LOG_PAGES}`],
      noteCharacters: LARGE_NOTE_CHARACTERS,
      happen: (life) => life.sawLogRestart(),
      end: async () => {},
    }),
  },
];

function simple(name: string, happen: (life: Disaster, random: Random) => Promise<void>): Fault {
  return { name, begin: async () => ({ happen, end: async () => {} }) };
}

/** A file where the replica's folder was: every write to it fails. */
async function withoutReplica(life: Disaster): Promise<void> {
  const place = join(life.folder, 'replica');
  renameSync(place, `${place}-away`);
  writeFileSync(place, '');
  await delay(STOPPED_MS);
  rmSync(place);
  renameSync(`${place}-away`, place);
}

/** A small file system in memory, mounted in the name space of a process that does nothing else. */
async function fullReplica(folder: string): Promise<Surroundings | undefined> {
  const place = join(folder, 'small-disk');
  const script = `mkdir "$0" && mount -t tmpfs -o size=${SMALL_DISK_BYTES} tmpfs "$0" && echo ready && exec sleep 600`;
  const under = privateMounts();
  if (under === undefined) return undefined;
  const [command = '', ...args] = [...under, 'sh', '-c', script, place];
  const holder = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  if (holder.stdout !== null) await once(holder.stdout, 'data');
  const inside = join('/proc', String(holder.pid), 'root', place);
  return {
    replica: [`url: file://${join(inside, 'replica')}`],
    async happen() {
      fill(join(inside, 'ballast'));
      await delay(STOPPED_MS);
      rmSync(join(inside, 'ballast'));
    },
    end: () => ended(holder),
  };
}

/** Writes until the disk is full. */
function fill(path: string): void {
  const ballast = openSync(path, 'w');
  const piece = Buffer.alloc(FILL_PIECE_BYTES);
  try {
    for (;;) writeSync(ballast, piece);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(ballast);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || !existsSync(`/proc/${child.pid}`)) return;
  child.kill('SIGKILL');
  await once(child, 'close');
}
