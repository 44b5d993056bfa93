// The warnings and errors before a start, and `--check`, which prints them and starts nothing.

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Log } from '../log.js';
import { environmentWarnings } from '../setting-warnings.js';
import { type Environment, readSettings, type Settings, settingWarnings } from '../settings.js';
import { inspectDatabase } from '../storage/file/inspect.js';
import { Litestream } from '../storage/replication/litestream.js';

const OTHERS_READ = 0o044;
const PERMISSIONS = 0o777;

/** The settings of this process. A setting that names a file is read from it. Throws a `SettingError`. */
export function settingsOf(environment: Environment): Settings {
  return readSettings(environment, (path) => readFileSync(path, 'utf8'));
}

/** Logs the warnings about the environment. */
export function warnOfEnvironment(environment: Environment, log: Log): void {
  for (const { event, hint } of environmentWarnings(environment)) log.warn(event, { hint });
}

/** Warns of a database file that others than its owner may read. */
export function warnOfFile(path: string, log: Log): void {
  const mode = modeOf(path);
  if (mode === undefined || (mode & OTHERS_READ) === 0) return;
  log.warn('database_readable_by_others', {
    file: path,
    mode: mode.toString(8).padStart(4, '0'),
    hint: 'other users of this machine may read every record; chmod 600 the file',
  });
}

/**
 * Judges settings and database file as a start would, and starts nothing.
 * Resolves with the process's exit code: 0 if a start would succeed.
 */
export async function checkStart(environment: Environment, log: Log): Promise<number> {
  try {
    const settings = settingsOf(environment);
    for (const { event, hint } of settingWarnings(settings)) log.warn(event, { hint });
    warnOfEnvironment(environment, log);
    const database = await inspectDatabase(settings.databasePath);
    warnOfFile(settings.databasePath, log);
    const replica = await lookAtReplica(settings, log);
    log.info('check_passed', { database, ...replica });
    return 0;
  } catch (error) {
    log.error('check_failed', error instanceof Error ? error.message : String(error));
    return 1;
  }
}

/** In `sync` a start needs Litestream; in `async` it warns. */
async function lookAtReplica({ replication, databasePath }: Settings, log: Log) {
  const { mode, socketPath } = replication;
  if (mode === 'off') return { replication: mode };
  const litestream = new Litestream({ socketPath, databasePath: resolve(databasePath) });
  try {
    await litestream.identify();
    return { replication: mode, replica: 'Litestream answers and lists the database' };
  } catch (error) {
    if (mode === 'sync') throw error;
    log.warn('replica_unreachable', {
      mode,
      reason: error instanceof Error ? error.message : String(error),
    });
    return { replication: mode, replica: 'unreachable' };
  } finally {
    litestream.close();
  }
}

/** Undefined if the file is missing. */
function modeOf(path: string): number | undefined {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & PERMISSIONS || undefined;
}
