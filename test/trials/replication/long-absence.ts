// Litestream is gone for so long that the service, in `async`, writes the log back itself; then
// Litestream comes back, and the machine is lost.

import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { litestreamHome } from '../../support/litestream.js';
import type { Finding } from '../trial.js';
import { lifeOf } from './disaster.js';

/** The service writes a longer log back; a shorter one may stay. */
const LOG_BOUND_BYTES = 268_435_456;
/** The service writes it back after a minute's absence. */
const ABSENCE_MAX_MS = 150_000;
const NOTE_CHARACTERS = 60_000;
const PAUSE_MS = 100;
const SYNC_MAX_SECONDS = 120;

export interface AbsenceOptions {
  readonly program: string;
  readonly folder: string;
  readonly identityOrigin: string;
}

export async function longAbsence(
  { program, folder, identityOrigin }: AbsenceOptions,
  say: (text: string) => void,
): Promise<Finding> {
  mkdirSync(folder);
  const home = litestreamHome({ program, folder });
  const life = await lifeOf({
    home,
    mode: 'async',
    identityOrigin,
    noteCharacters: NOTE_CHARACTERS,
  });
  await life.acknowledged(100);
  await life.endLitestream();
  const began = performance.now();
  let most = 0;
  for (;;) {
    const bytes = life.logBytes();
    // Enough: the load may rest until the log is written back.
    if (bytes > LOG_BOUND_BYTES) await life.rest();
    if (bytes < most / 2) break;
    most = Math.max(most, bytes);
    if (performance.now() - began > ABSENCE_MAX_MS) break;
    await delay(PAUSE_MS);
  }
  const isEmptied = life.logBytes() < most / 2;
  const absentMs = performance.now() - began;
  say(`the log had ${mib(most)} and was ${isEmptied ? '' : 'not '}written back`);
  const before = bytesIn(join(folder, 'replica'));
  life.startLitestream();
  const back = performance.now();
  await synced(home.socketPath, home.file);
  const syncMs = performance.now() - back;
  const sent = bytesIn(join(folder, 'replica')) - before;
  const database = statSync(home.file).size;
  await life.rest();
  const { acknowledged, missing, isWhole } = await life.lose();
  return {
    fault:
      'REPLICATION=async: Litestream is gone while more than 256 MB are written, and comes back',
    tried: `once, ${acknowledged} acknowledged; the log had ${mib(most)} at most and was written back after ${(absentMs / 1_000).toFixed(0)} s`,
    found: `Litestream sent ${mib(sent)} of a database of ${mib(database)} within ${(syncMs / 1_000).toFixed(1)} s of its start; ${missing} acknowledged missing after the restore, the restored file ${isWhole ? 'whole' : 'damaged'}`,
    holds: isEmptied && most > LOG_BOUND_BYTES && missing === 0 && isWhole,
  };
}

/** Resolves when the replica has everything; asked again until Litestream answers. */
async function synced(socketPath: string, path: string): Promise<void> {
  const until = performance.now() + SYNC_MAX_SECONDS * 1_000;
  while (performance.now() < until) {
    const status = await new Promise<number>((resolve) => {
      const call = request({ socketPath, path: '/sync', method: 'POST' }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      call.on('error', () => resolve(0));
      call.end(JSON.stringify({ path, wait: true, timeout: SYNC_MAX_SECONDS }));
    });
    if (status === 200) return;
    await delay(PAUSE_MS);
  }
  throw new Error('the replica did not get everything');
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
