// The trial `backup`: kills the server during backups while clients write, and kills
// restores at random moments. The ids that clients were given must be there afterwards.

import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDataSet } from '../../scripts/bench/data-set.js';
import { startProcess } from '../../scripts/bench/processes.js';
import { emptyDatabase, listening, startIdentityProvider } from '../../scripts/bench/targets.js';
import { root } from '../../scripts/setup.js';
import { idsIn } from './service/database-ids.js';
import type { Finding, Trial } from './trial.js';

export interface BackupCounts {
  begun: number;
  /** Backups that were finished before the kill. */
  finished: number;
  /** Records acknowledged before a backup began that the backup does not hold. */
  missing: number;
  /** Records acknowledged that the database does not hold. */
  lost: number;
}

export interface RestoreCounts {
  killed: number;
  /** Restores that were finished before the kill. */
  done: number;
  newInPlace: number;
  /** Duration of the last restore that ran to its end. */
  milliseconds: number;
  /** Restores after which neither database was in place, or the old one was gone. */
  wrong: number;
}

const CYCLES = 100;
const QUICK_CYCLES = 15;
/** So many that a backup takes longer than the wait before most kills. */
const RECORDS = 50_000;
const WRITERS = 8;
const BEFORE_BACKUP_MAX_MS = 100;
/** The longest wait before a kill, as a share of the time of a whole backup or restore. */
const BEFORE_KILL_MAX_SHARE = 1.3;
/** This share is not killed: it tells how long a backup or restore takes on this machine now. */
const WAITED_FOR_SHARE = 1 / 3;
const RESTORES_A_BACKUP = 3;
const BACKUP_NAME = /^service-[^/]+Z\.db$/;

export const backup: Trial = async ({ quick, folder, say }) => {
  const cycles = quick ? QUICK_CYCLES : CYCLES;
  const identity = await startIdentityProvider();
  const base = { folder, emptyDatabase: await emptyDatabase(folder, identity) };
  const { file } = await makeDataSet(base, 'service', [
    { prefix: 'filler', owners: 10, records: RECORDS },
  ]);
  const service = { file, backups: join(folder, 'backups'), identityOrigin: identity.origin };
  mkdirSync(service.backups);
  const acknowledged: string[] = [];
  const backups: BackupCounts = { begun: 0, finished: 0, missing: 0, lost: 0 };
  let backupMs: number | undefined;
  const restores: RestoreCounts = { killed: 0, done: 0, newInPlace: 0, wrong: 0, milliseconds: 0 };
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const wait = Math.random() < WAITED_FOR_SHARE ? undefined : backupMs;
    const { before, took } = await loadAndKill(service, acknowledged, wait);
    backupMs = took ?? backupMs;
    backups.begun++;
    backups.lost += missing(acknowledged, await idsIn(file, folder));
    const [name] = readdirSync(service.backups).filter((found) => BACKUP_NAME.test(found));
    if (name !== undefined) {
      backups.finished++;
      const taken = join(service.backups, name);
      // A damaged backup counts as one without records.
      backups.missing += missing(acknowledged.slice(0, before), await idsIn(taken, folder));
      for (let round = 0; round < RESTORES_A_BACKUP; round++) {
        await restoreAndKill({ taken, file, folder, restores });
      }
      rmSync(taken);
    }
    if (cycle % 10 === 0) say(`${cycle} of ${cycles} cycles, ${backups.finished} backups finished`);
  }
  await identity.process.stop();
  return findings({ acknowledged: acknowledged.length, backups, restores });
};

/**
 * Starts the server, writes, asks for a backup and kills the server. Resolves with the
 * number of writes acknowledged before the request for the backup, and with the duration
 * of the backup when the kill waited for its end.
 *
 * @param backupMs The usual duration of a backup; undefined lets the kill wait for the end.
 */
async function loadAndKill(
  service: { file: string; backups: string; identityOrigin: string },
  acknowledged: string[],
  backupMs: number | undefined,
) {
  const started = startProcess(process.execPath, [join(root, 'dist/server.js')], {
    PORT: '0',
    DATABASE_URL: `file:${service.file}`,
    AUTH_USERINFO_URL: `${service.identityOrigin}/userinfo`,
    AUTH_CACHE_SECONDS: '300',
    BACKUP_DIR: service.backups,
    BACKUP_INTERVAL_HOURS: '0',
  });
  const { origin } = await listening(started);
  const load = Promise.all(Array.from({ length: WRITERS }, () => create(origin, acknowledged)));
  await delay(Math.random() * BEFORE_BACKUP_MAX_MS);
  const before = acknowledged.length;
  process.kill(started.pid, 'SIGUSR2');
  const asked = performance.now();
  if (backupMs === undefined) await started.saw(/"event":"backup_taken"/);
  else await delay(Math.random() * BEFORE_KILL_MAX_SHARE * backupMs);
  const took = backupMs === undefined ? performance.now() - asked : undefined;
  // Only the server: its backup process must notice by itself.
  process.kill(started.pid, 'SIGKILL');
  await load;
  await started.ended().catch(() => {});
  return { before, took };
}

/** Creates records until the server is gone. */
async function create(origin: string, acknowledged: string[]) {
  for (;;) {
    const answer = await fetch(`${origin}/api/v1/customers`, {
      method: 'POST',
      headers: { Authorization: 'Bearer writer' },
      body: '{"name":"Neema Mushi","phone":"+255 713 445 210"}',
    })
      .then(async (response) => ({ status: response.status, json: await response.json() }))
      .catch(() => undefined);
    if (answer === undefined) return;
    if (answer.status !== 201) throw new Error(`a create was answered ${answer.status}`);
    acknowledged.push(answer.json.data.id);
  }
}

/** Restores over a copy of the database, kills the restore, and checks which database is in place. */
async function restoreAndKill(work: {
  taken: string;
  file: string;
  folder: string;
  restores: RestoreCounts;
}) {
  const { taken, file, folder, restores } = work;
  const place = join(folder, 'restored');
  mkdirSync(place);
  const path = join(place, 'service.db');
  for (const suffix of ['', '-wal']) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, path + suffix);
  }
  const [oldIds, newIds] = [await idsIn(path, folder), await idsIn(taken, folder)];
  const restore = startProcess(process.execPath, [join(root, 'dist/manage.js'), 'restore', taken], {
    DATABASE_URL: `file:${path}`,
  });
  const ended = restore.ended().then(
    () => restores.done++,
    () => restores.killed++,
  );
  const asked = performance.now();
  if (restores.milliseconds === 0 || Math.random() < WAITED_FOR_SHARE) {
    await ended;
    restores.milliseconds = performance.now() - asked;
  } else {
    const most = BEFORE_KILL_MAX_SHARE * restores.milliseconds;
    await Promise.race([ended, delay(Math.random() * most)]);
  }
  try {
    process.kill(restore.pid, 'SIGKILL');
  } catch {
    // The restore has ended already.
  }
  await ended;
  const found = await idsIn(path, folder);
  if (isSame(found, newIds)) {
    restores.newInPlace++;
    const [kept = ''] = readdirSync(place).filter((name) => name.includes('before-restore'));
    if (!isSame(await idsIn(join(place, kept), folder), oldIds)) restores.wrong++;
  } else if (!isSame(found, oldIds)) {
    restores.wrong++;
  }
  rmSync(place, { recursive: true });
}

function missing(wanted: readonly string[], found: Set<string>) {
  return wanted.filter((id) => !found.has(id)).length;
}

function isSame(one: Set<string>, other: Set<string>) {
  return one.size === other.size && [...one].every((id) => other.has(id));
}

function findings(counts: {
  acknowledged: number;
  backups: BackupCounts;
  restores: RestoreCounts;
}): Finding[] {
  const { acknowledged, backups, restores } = counts;
  return [
    {
      fault: 'kill -9 during a backup, under writes',
      tried: `${backups.begun} kills, ${backups.finished} backups finished before, ${acknowledged} writes acknowledged`,
      found: `${backups.missing} writes acknowledged before a backup missing in it, ${backups.lost} lost in the database`,
      holds: backups.missing === 0 && backups.lost === 0 && backups.finished > 0,
    },
    {
      fault: 'kill -9 during a restore',
      tried: `${restores.killed} kills, ${restores.done} done before; ${restores.newInPlace} times the backup was in place`,
      found: `${restores.wrong} times neither the old nor the new database was whole`,
      holds: restores.wrong === 0 && restores.killed > 0 && restores.newInPlace > 0,
    },
  ];
}
