// What `--check` looks at: everything that a start needs. Each look says what it found,
// or throws one sentence, where a start would fail or would not be what is meant.

import { createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { openSignIn } from '../../core/identity/sign-in.js';
import { namesIn } from '../../storage/backup/backup-files.js';
import { type FileState, inspectDatabase } from '../../storage/file/inspect.js';
import { Litestream } from '../../storage/replication/litestream.js';
import { addressProblem } from '../settings/address-problem.js';
import { misspelledNames, otherWarnings, type SettingWarning } from '../settings/warnings.js';
import { type Environment, type Settings, settingWarnings } from '../settings.js';
import { heldSocket } from './held-socket.js';

export interface Look {
  readonly what: string;
  /** What was found, and what may be as it is meant. Rejects with one sentence. */
  readonly look: () => Promise<Found> | Found;
}

export interface Found {
  readonly found: string;
  readonly warnings?: readonly SettingWarning[];
}

/** For the replica to take every change: a person waits for this check. */
const ONLINE_SYNC_MAX_SECONDS = 10;
const SHORT_KEY = 'admin_key_too_short';

/** The looks in the order of a start. `online`: whether the identity provider and the replica are asked. */
export function looksAt(environment: Environment, settings: Settings, online: boolean): Look[] {
  const ports = new Ports();
  let file: FileState | undefined;
  const database = async () => {
    if (settings.postgresUrl !== undefined) return lookAtPostgres(settings.postgresUrl, online);
    file = await inspectDatabase(settings.databasePath, {
      backupFolder: settings.backups?.folder,
      isReplicated: settings.replication !== undefined,
      createAnyway: settings.databaseCreate,
    });
    return { found: FILE_WORDS[file] };
  };
  const { host, port, operations, backups } = settings;
  const port_ = (prefix: string, address: { readonly host: string; readonly port: number }) =>
    ports.lookAt(prefix, address, file === 'held');
  return [
    { what: 'settings', look: () => lookAtSettings(settings) },
    { what: 'names of settings', look: () => lookAtNames(environment) },
    { what: 'admin key', look: () => lookAtKey(settings) },
    { what: 'database', look: database },
    {
      what: 'backups',
      async look() {
        if (backups === undefined) return { found: 'none: BACKUP_DIR is unset' };
        await namesIn(backups.folder);
        return { found: `${resolve(backups.folder)} can be written to` };
      },
    },
    { what: 'replica', look: () => lookAtReplica(settings, online && file !== 'absent') },
    {
      what: 'operations port',
      look: () =>
        operations.port === undefined
          ? { found: 'none: OPS_PORT is unset' }
          : port_('OPS_', operations.port),
    },
    {
      what: 'port',
      look: () =>
        heldSocket(environment, process.pid) === undefined
          ? port_('', { host, port }).finally(() => ports.close())
          : { found: 'handed over; HOST and PORT are not used' },
    },
    { what: 'identity provider', look: () => lookAtProvider(settings, online) },
  ];
}

async function lookAtPostgres(url: string, online: boolean): Promise<Found> {
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

const FILE_WORDS: Readonly<Record<FileState, string>> = {
  usable: 'usable: whole, of this program, and free',
  absent: 'absent: a start makes it',
  held: 'held: another process has it, most likely the service; it was not read',
};

function lookAtSettings(settings: Settings): Found {
  const warnings = settingWarnings(settings).filter(({ event }) => event !== SHORT_KEY);
  return { found: 'all can be used', warnings };
}

function lookAtNames(environment: Environment): Found {
  const slips = misspelledNames(environment).map(({ hint }) => hint);
  if (slips.length > 0) throw new Error(slips.join('; '));
  return { found: 'none is misspelled', warnings: otherWarnings(environment) };
}

/** A start only warns of a short key: the service works, without its administration API. */
function lookAtKey(settings: Settings): Found {
  const short = settingWarnings(settings).find(({ event }) => event === SHORT_KEY);
  if (short !== undefined) throw new Error(short.hint);
  if (settings.adminKey !== undefined) return { found: 'set, and long enough' };
  return { found: 'unset: the administration API answers 503' };
}

/** A start without Litestream only warns. `syncs`: whether the replica itself is tried. */
async function lookAtReplica(
  { replication, databasePath }: Settings,
  syncs: boolean,
): Promise<Found> {
  if (replication === undefined) return { found: 'none: REPLICATION is off' };
  const { socketPath } = replication;
  const litestream = new Litestream({ socketPath, databasePath: resolve(databasePath) });
  try {
    await litestream.identify();
    if (!syncs) return { found: 'Litestream answers and lists the database' };
    const { replicatedTxid } = await litestream.sync(true, ONLINE_SYNC_MAX_SECONDS);
    return { found: `Litestream synced: the replica has every change up to ${replicatedTxid}` };
  } catch (error) {
    const hint = error instanceof Error ? error.message : String(error);
    return { found: 'unreachable', warnings: [{ event: 'replica_unreachable', hint }] };
  }
}

async function lookAtProvider({ signIn }: Settings, online: boolean): Promise<Found> {
  if (signIn === undefined) return { found: 'none: every bearer token is answered 503' };
  if (!online) {
    const way = signIn.userinfo === 'off' ? 'tokens are checked here alone; ' : '';
    return { found: `${way}not asked; --online asks it` };
  }
  const { ok, found, remedy } = await openSignIn({ settings: signIn }).probe();
  if (ok) return { found };
  throw new Error(`the identity provider: ${found}; ${remedy}`);
}

/** Opens ports, to see that they are free, and keeps each open until the last one was tried. */
class Ports {
  readonly #open: Server[] = [];

  /** `isRunning`: the service itself seems to run, and has the port. */
  async lookAt(
    prefix: string,
    { host, port }: { readonly host: string; readonly port: number },
    isRunning: boolean,
  ): Promise<Found> {
    const address = `${host}:${port}`;
    try {
      await this.#listen(host, port);
      return { found: port === 0 ? `${address}: a start picks one` : `${address} is free` };
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (isTaken && isRunning) return { found: `${address} is taken, as while the service runs` };
      const reason = addressProblem(error, prefix) ?? String(error);
      throw new Error(`${address} cannot be listened on: ${reason}`);
    }
  }

  close(): void {
    for (const server of this.#open) server.close();
  }

  #listen(host: string, port: number): Promise<void> {
    const server = createServer((socket) => socket.destroy());
    return new Promise((done, fail) => {
      server.once('error', fail);
      server.unref();
      server.listen({ host, port, exclusive: true }, () => {
        this.#open.push(server);
        done();
      });
    });
  }
}
