// Litestream's control socket: its version, its databases, and the sync command.

import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseJsonLine } from '../../core/json-line.js';

/** The first release whose SQLite has the fix for the WAL-reset bug (it bundles 3.53.0; 0.5.16 bundled 3.51.2). */
const VERSION_MIN = '0.5.17';
/** For a query that needs neither disk nor network. If it takes longer, Litestream hangs. */
const QUERY_TIMEOUT_MS = 2_000;

/** Litestream on this control socket. `databasePath`: as its configuration file names it. */
export function litestreamOn(socketPath: string, databasePath: string) {
  /** Its process id and, after a space, its start time. Rejects with one sentence if Litestream does not respond, is too old, or does not list the database. */
  async function identify(): Promise<string> {
    const info = await send('/info');
    const version = String(info['version']);
    const [, numbers = '0'] = /^v?(\d+\.\d+\.\d+)/.exec(version) ?? [];
    if (numbers.localeCompare(VERSION_MIN, 'en', { numeric: true }) < 0) {
      throw new Error(
        `Litestream on ${socketPath} has version ${version.slice(0, 40)}; it must be ${VERSION_MIN} or newer, whose SQLite can write the log back while the service runs`,
      );
    }
    const { databases } = await send('/list');
    const paths = Array.isArray(databases) ? databases.map((database) => database?.path) : [];
    if (!paths.includes(databasePath)) {
      throw new Error(
        `Litestream on ${socketPath} does not list the database; add "- path: ${databasePath}" under "dbs:" in its file and restart it`,
      );
    }
    return `${info['pid']} ${info['started_at']}`;
  }

  /**
   * Makes Litestream copy every commit from the log, and write back a long log. With `wait`, waits
   * up to `maxSeconds` until the replica has them. Resolves with Litestream's numbers of the last
   * change that it took, and of the last one that the replica has. Rejects with one sentence.
   */
  async function sync(wait: boolean, maxSeconds: number) {
    const body = { path: databasePath, wait, timeout: maxSeconds };
    const synced = await send('/sync', body, (maxSeconds + 5) * 1_000);
    const [txid, replicatedTxid] = [Number(synced['txid']), Number(synced['replicated_txid'])];
    // Litestream reports change 0 for a path without a file.
    if (!(txid > 0)) throw new Error('Litestream sees no database there; check its user and path');
    return { txid, replicatedTxid };
  }

  async function send(path: string, body?: object, timeoutMs = QUERY_TIMEOUT_MS) {
    const signal = AbortSignal.timeout(timeoutMs);
    const method = body ? 'POST' : 'GET';
    const outgoing = request({ socketPath, path, method, agent: false, signal });
    // Errors can follow the response's head.
    outgoing.on('error', () => {});
    outgoing.end(body && JSON.stringify(body));
    const responded = once(outgoing, 'response').then(async ([response]) => {
      const fields: Record<string, unknown> = { ...parseJsonLine(await text(response)) };
      return { status: response.statusCode, fields };
    });
    const { status, fields } = await responded.catch((cause: NodeJS.ErrnoException) => {
      const how = signal.aborted ? 'in time' : `(${cause.code ?? cause.name})`;
      throw new Error(
        `Litestream does not respond ${how} on ${socketPath}; run both as one user, with "socket:" in its file, or name its socket: REPLICATION=async:/path`,
        { cause },
      );
    });
    if (status === 200) return fields;
    // A replica's URL may contain a password.
    const reason = String(fields['error'] ?? `status ${status}`)
      .replaceAll(/\/\/[^/\s@]*@/g, '//(hidden)@')
      .replaceAll(/\s+/g, ' ');
    throw new Error(`Litestream says: ${reason.slice(0, 300)}`);
  }

  return { identify, sync };
}
