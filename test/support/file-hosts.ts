// The contract suite's hosts over a libSQL file: the handler in this process, and the built server.

import { createHandler, openRecords } from 'service-management-api';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { openSignIn } from '../../src/core/identity/sign-in.js';
import type { RecordStorage } from '../../src/core/records/record-storage.js';
import { readSettings } from '../../src/hosts/settings.js';
import { changeDatabase, databasePath } from './database-file.js';
import { type Host, MARKS, type Settings } from './hosts.js';
import { type How, startServer } from './server-process.js';

/** Folders whose storage fails marked writes. */
const failing = new Set<string>();

/** The built handler: no port, plain `Request` objects. */
export const handlerHost = {
  name: 'handler in process',
  storage: 'libSQL file',
  changeDatabase,
  async failMarkedWrites(folder: string): Promise<void> {
    failing.add(folder);
  },
  async start(folder, environment) {
    const settings = readSettings(environment);
    const path = databasePath(folder);
    const storage = await openLibsqlStorage({ path, sampleRows: settings.sampleRecords });
    if (failing.has(folder)) failMarkedWrites(storage);
    const scheduler = new FairScheduler();
    const records = await openRecords({ storage, scheduler, limits: settings.accountLimits });
    const { adminKey, corsAllowedOrigins } = settings;
    const { identity } = (settings.signIn && openSignIn({ settings: settings.signIn })) ?? {};
    const handler = createHandler({ records, identity, adminKey, corsAllowedOrigins, scheduler });
    return {
      fetch: (path, init) => handler(new Request(`http://localhost${path}`, init)),
      close: () => records.close(),
    };
  },
} satisfies Host;

/** Replaces the storage's port by one that fails marked writes and changes nothing. */
function failMarkedWrites(storage: RecordStorage): void {
  const [load, commit] = [storage.load.bind(storage), storage.commit.bind(storage)];
  /** Positions of the rows whose removal fails. */
  const kept = new Set<number>();
  const note = (rows: readonly { readonly position: number; readonly body: string }[]) => {
    for (const { position, body } of rows) if (body.includes(MARKS.removal)) kept.add(position);
  };
  const error = new Error('injected');
  storage.load = async function* () {
    for await (const rows of load()) {
      note(rows);
      yield rows;
    }
  };
  storage.commit = async (changes) => {
    const isRefused =
      changes.puts.some(({ body }) => body.includes(MARKS.put)) ||
      changes.removals.some((position) => kept.has(position));
    if (isRefused) return { status: 'notStored', error };
    note(changes.puts);
    const isAudited = !JSON.stringify(changes.events).includes(MARKS.event);
    if (isAudited) return commit(changes);
    const result = await commit({ ...changes, events: [] });
    return result.status === 'committed' ? { ...result, auditError: error } : result;
  };
}

/** `node dist/server.js` over real HTTP. */
export const serverHost: Host = {
  name: 'node dist/server.js',
  storage: 'libSQL file',
  changeDatabase,
  start: startFileServer,
};

export async function startFileServer(folder: string, settings: Settings, how: How = {}) {
  const environment = { DATABASE_URL: `file:${databasePath(folder)}`, ...settings };
  const server = await startServer(environment, how);
  return {
    fetch: (path: string, init?: RequestInit) => fetch(server.origin + path, init),
    async close() {
      const code = await server.stop();
      if (code !== 0) throw new Error(`the server exited with ${code}: ${server.output()}`);
    },
  };
}
