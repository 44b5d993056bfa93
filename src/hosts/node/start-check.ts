// `manage check`: checks everything that a start needs, and starts nothing. Each check reports what it
// found, or throws one sentence if a start would fail or would probably not do what is intended.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { openSignIn } from '../../core/identity/sign-in.js';
import type { Log } from '../../core/log.js';
import { backupsIn } from '../../storage/backup/backup-schedule.js';
import { messageOf } from '../../storage/file/connection-errors.js';
import { type FileState, inspectDatabase } from '../../storage/file/database-path.js';
import { litestreamOn } from '../../storage/replication/litestream.js';
import { addressProblem } from '../settings/addresses.js';
import { settingWarnings } from '../settings/warnings.js';
import { type Environment, readSettings, type Settings } from '../settings.js';
import type { Address } from './operations-port.js';

type Checks = Readonly<Record<string, () => string | Promise<string>>>;

/** A start only warns about these: the service works, but probably not as intended. */
const UNINTENDED = ['setting_unknown', 'admin_key_too_short'];
const FILE_DESCRIPTIONS: Readonly<Record<FileState, string>> = {
  usable: 'usable: intact, from this program, and not in use',
  absent: 'absent: a start creates it',
  held: 'in use by another process, most likely the service; not read',
};

/** The settings of a process, which can read the files that they name. Throws a `SettingError`. */
export function settingsOf(environment: Environment): Settings {
  return readSettings(environment, (path) => readFileSync(path, 'utf8'));
}

/**
 * Logs one line for each check. Resolves with whether a start would succeed and do what is intended.
 * `online`: whether to contact the identity provider and Postgres.
 */
export async function checkStart(environment: Environment, log: Log, online: boolean) {
  const failures: string[] = [];
  const checks = await checksOf(environment, log, online).catch(
    (error): Checks => ({ settings: () => Promise.reject(error) }),
  );
  for (const [what, check] of Object.entries(checks)) {
    try {
      log.info('checked', { what, result: 'ok', found: await check() });
    } catch (error) {
      failures.push(messageOf(error));
      log.error('checked', messageOf(error), { what, result: 'failed' });
    }
  }
  if (failures.length > 0) log.error('check_failed', failures.join('; also '));
  else log.info('check_passed', { checks: Object.keys(checks).length });
  return failures.length === 0;
}

/** In the order of a start. Logs a warning for a setting that may be intended. Rejects with a `SettingError`. */
async function checksOf(environment: Environment, log: Log, online: boolean): Promise<Checks> {
  const settings = settingsOf(environment);
  const { postgresUrl, backups, host, port, operations, databasePath, replication } = settings;
  let file: FileState | undefined;
  return {
    settings() {
      const all = settingWarnings(settings, environment);
      const unintended = all.filter(({ event }) => UNINTENDED.includes(event));
      for (const { event, hint } of all) if (!UNINTENDED.includes(event)) log.warn(event, { hint });
      if (unintended.length === 0) return 'valid';
      throw new Error(unintended.map(({ hint }) => hint).join('; '));
    },
    async database() {
      if (postgresUrl !== undefined) return checkPostgres(postgresUrl, online);
      file = await inspectDatabase({
        path: databasePath,
        backupFolder: backups?.folder,
        createAnyway: settings.databaseCreate,
        replication,
      });
      return FILE_DESCRIPTIONS[file];
    },
    async backups() {
      if (backups === undefined) return 'none: BACKUP_DIR is unset';
      await backupsIn(backups.folder, '');
      return `${resolve(backups.folder)} is writable`;
    },
    async replica() {
      if (replication === undefined) return 'none: REPLICATION is off';
      try {
        await litestreamOn(replication.socketPath, resolve(databasePath)).identify();
        return 'Litestream responds and lists the database';
      } catch (error) {
        // A start only warns about it, too.
        log.warn('replica_unreachable', { hint: messageOf(error) });
        return 'unreachable';
      }
    },
    'operations port': async () =>
      operations.port === undefined
        ? 'none: OPS_PORT is unset'
        : checkPort('OPS_', operations.port, file === 'held'),
    port: () => checkPort('', { host, port }, file === 'held'),
    async 'identity provider'() {
      if (settings.signIn === undefined) return 'none: every bearer token gets 503';
      if (!online) return 'not checked; pass --online';
      return openSignIn({ settings: settings.signIn }).probe();
    },
  };
}

async function checkPostgres(url: string, online: boolean): Promise<string> {
  if (!online) return 'Postgres: not checked; pass --online';
  // Loaded on demand: a service over a file needs no Postgres client.
  const { Database, reasonOf } = await import('../../storage/postgres/database.js');
  const { checkServer } = await import('../../storage/postgres/schema.js');
  const database = new Database(url);
  try {
    return (await database.transaction(checkServer)).found;
  } catch (error) {
    throw new Error(`Postgres: ${reasonOf(error)}`);
  } finally {
    await database.close();
  }
}

/**
 * Opens the port to check that it is free, and leaves it open, so that a second setting with the same
 * port fails. `prefix`: of its settings' names. `isRunning`: the service seems to be running, and
 * probably uses the port itself.
 */
async function checkPort(prefix: string, { host, port }: Address, isRunning: boolean) {
  const address = `${host}:${port}`;
  try {
    const server = createServer((socket) => socket.destroy()).unref();
    await once(server.listen({ host, port, exclusive: true }), 'listening');
    return port === 0 ? `${address}: a start picks one` : `${address} is free`;
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (isTaken && isRunning) return `${address} is in use, presumably by the running service`;
    throw new Error(`${address} cannot be listened on: ${addressProblem(error as Error, prefix)}`);
  }
}
