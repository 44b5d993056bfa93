// `--check`: examines everything that a start needs, and starts nothing. Each check says what it
// found, or throws one sentence if a start would fail or would not do what is intended.

import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { openSignIn } from '../../core/identity/sign-in.js';
import type { Log } from '../../core/log.js';
import { namesIn } from '../../storage/backup/backup-files.js';
import { type FileState, inspectDatabase } from '../../storage/file/own-database.js';
import { Litestream } from '../../storage/replication/litestream.js';
import { addressProblem } from '../settings/address-problem.js';
import {
  misspelledNames,
  otherWarnings,
  type SettingWarning,
  settingWarnings,
} from '../settings/warnings.js';
import { type Environment, readSettings, type Settings } from '../settings.js';
import { heldSocket } from './held-socket.js';

interface Found {
  readonly found: string;
  /** What may be intended. */
  readonly warnings?: readonly SettingWarning[];
}

type StartupCheck = () => Promise<Found> | Found;

export interface CheckOptions {
  readonly log: Log;
  /** Whether the identity provider, the replica and Postgres are asked. */
  readonly online: boolean;
}

const OTHERS_READ = 0o044;
const PERMISSIONS = 0o777;
/** For the replica to take every change: a person waits for this check. */
const ONLINE_SYNC_MAX_SECONDS = 10;
const SHORT_KEY = 'admin_key_too_short';
const FILE_WORDS: Readonly<Record<FileState, string>> = {
  usable: 'usable: whole, of this program, and free',
  absent: 'absent: a start creates it',
  held: 'in use by another process, most likely the service; not read',
};

/** The settings of this process. A setting that names a file is read from it. Throws a `SettingError`. */
export function settingsOf(environment: Environment): Settings {
  return readSettings(environment, (path) => readFileSync(path, 'utf8'));
}

/** Warns of a database file that others than its owner may read. */
export function warnOfFile(path: string, log: Log): void {
  // Windows has no such permissions, and says of each file that all may read it.
  if (process.platform === 'win32') return;
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & PERMISSIONS;
  if ((mode & OTHERS_READ) === 0) return;
  log.warn('database_readable_by_others', {
    file: path,
    mode: mode.toString(8).padStart(4, '0'),
    hint: 'other users of this machine may read every record; chmod 600 the file',
  });
}

/** One line of the log for each check. Resolves with whether a start would succeed and do what is intended. */
export async function checkStart(
  environment: Environment,
  { log, online }: CheckOptions,
): Promise<boolean> {
  const failures: string[] = [];
  const fail = (what: string, error: unknown) => {
    const sentence = sentenceOf(error);
    failures.push(sentence);
    log.error('checked', sentence, { what, result: 'failed' });
  };
  let checks: Readonly<Record<string, StartupCheck>> = {};
  try {
    const settings = settingsOf(environment);
    checks = startupChecks(environment, settings, online);
    if (settings.postgresUrl === undefined) warnOfFile(settings.databasePath, log);
  } catch (error) {
    fail('settings', error);
  }
  for (const [what, check] of Object.entries(checks)) {
    try {
      const { found, warnings = [] } = await check();
      for (const { event, hint } of warnings) log.warn(event, { hint });
      log.info('checked', { what, result: warnings.length > 0 ? 'warning' : 'ok', found });
    } catch (error) {
      fail(what, error);
    }
  }
  if (failures.length > 0) log.error('check_failed', failures.join('; also '));
  else log.info('check_passed', { looks: Object.keys(checks).length });
  return failures.length === 0;
}

/** In the order of a start. */
function startupChecks(environment: Environment, settings: Settings, online: boolean) {
  const { postgresUrl, backups, host, port, operations, databasePath } = settings;
  const ofService = settingWarnings(settings);
  const opened: Server[] = [];
  let file: FileState | undefined;
  const checks: Record<string, StartupCheck> = {
    settings: () => ({
      found: 'all can be used',
      warnings: ofService.filter(({ event }) => event !== SHORT_KEY),
    }),
    'names of settings': () => checkNames(environment),
    'admin key'() {
      // A start only warns of a short key: the service works, without its administration API.
      const short = ofService.find(({ event }) => event === SHORT_KEY);
      if (short !== undefined) throw new Error(short.hint);
      const unset = 'unset: the administration API answers 503';
      return { found: settings.adminKey === undefined ? unset : 'set, and long enough' };
    },
    async database() {
      if (postgresUrl !== undefined) return checkPostgres(postgresUrl, online);
      file = await inspectDatabase(databasePath, {
        backupFolder: backups?.folder,
        isReplicated: settings.replication !== undefined,
        createAnyway: settings.databaseCreate,
      });
      return { found: FILE_WORDS[file] };
    },
    async backups() {
      if (backups === undefined) return { found: 'none: BACKUP_DIR is unset' };
      await namesIn(backups.folder);
      return { found: `${resolve(backups.folder)} can be written to` };
    },
    replica: () => checkReplica(settings, online && file !== 'absent'),
    'operations port': () =>
      operations.port === undefined
        ? { found: 'none: OPS_PORT is unset' }
        : checkPort('OPS_', operations.port, file === 'held', opened),
    port: () =>
      heldSocket(environment, process.pid) === undefined
        ? checkPort('', { host, port }, file === 'held', opened)
        : { found: 'handed over; HOST and PORT are not used' },
    'identity provider'() {
      for (const server of opened) server.close();
      return checkProvider(settings, online);
    },
  };
  return checks;
}

function checkNames(environment: Environment): Found {
  const slips = misspelledNames(environment).map(({ hint }) => hint);
  if (slips.length > 0) throw new Error(slips.join('; '));
  return { found: 'none is misspelled', warnings: otherWarnings(environment) };
}

async function checkPostgres(url: string, online: boolean): Promise<Found> {
  if (!online) return { found: 'Postgres: not asked; --online asks it' };
  // Loaded here: a service over a file needs no client of Postgres.
  const { Database, reasonOf } = await import('../../storage/postgres/database.js');
  const { expectSafeServer } = await import('../../storage/postgres/server-check.js');
  const database = new Database(url);
  try {
    return { found: await database.transaction(expectSafeServer) };
  } catch (error) {
    throw new Error(`Postgres: ${reasonOf(error)}`);
  } finally {
    await database.close();
  }
}

/** A start without Litestream only warns. `syncs`: whether the replica itself is tried. */
async function checkReplica(
  { replication, databasePath }: Settings,
  syncs: boolean,
): Promise<Found> {
  if (replication === undefined) return { found: 'none: REPLICATION is off' };
  const { socketPath } = replication;
  const litestream = new Litestream(socketPath, resolve(databasePath));
  try {
    await litestream.identify();
    if (!syncs) return { found: 'Litestream answers and lists the database' };
    const { replicatedTxid } = await litestream.sync(true, ONLINE_SYNC_MAX_SECONDS);
    return { found: `Litestream synced: the replica has every change up to ${replicatedTxid}` };
  } catch (error) {
    const hint = sentenceOf(error);
    return { found: 'unreachable', warnings: [{ event: 'replica_unreachable', hint }] };
  }
}

async function checkProvider({ signIn }: Settings, online: boolean): Promise<Found> {
  if (signIn === undefined) return { found: 'none: every bearer token is answered 503' };
  if (!online) {
    const way = signIn.userinfo === 'off' ? 'tokens are checked only here; ' : '';
    return { found: `${way}not asked; --online asks it` };
  }
  const { ok, found, remedy } = await openSignIn({ settings: signIn }).probe();
  if (ok) return { found };
  throw new Error(`the identity provider: ${found}; ${remedy}`);
}

/**
 * Opens the port, to see that it is free, and leaves it open in `opened`, so that a second setting
 * with the same port fails. `prefix`: of the settings of the address. `isRunning`: the service itself
 * seems to run, and has the port.
 */
async function checkPort(
  prefix: string,
  { host, port }: { readonly host: string; readonly port: number },
  isRunning: boolean,
  opened: Server[],
): Promise<Found> {
  const address = `${host}:${port}`;
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    opened.push(server);
    return { found: port === 0 ? `${address}: a start picks one` : `${address} is free` };
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (isTaken && isRunning) return { found: `${address} is in use, as the service is running` };
    const reason = addressProblem(error, prefix) ?? String(error);
    throw new Error(`${address} cannot be listened on: ${reason}`);
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
