// Litestream's control socket: which version answers, which databases it has, and the one order
// that the service gives it, to sync now.

import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { objectIn } from '../../core/json-line.js';

/** The first release whose own SQLite has the mend of the WAL-reset defect (it bundles 3.53.0; 0.5.16 bundled 3.51.2). */
const VERSION_MIN = [0, 5, 17] as const;
/** A question that needs no disk and no network is answered at once, or Litestream hangs. */
const QUESTION_MAX_MS = 2_000;
/** How much of an error's text is repeated. */
const REASON_MAX_CHARACTERS = 300;

/** Litestream's answer to a sync. */
export interface SyncAnswer {
  /** Litestream's number of the last change that it took from the database. */
  readonly txid: number;
  /** The last one that the replica has. */
  readonly replicatedTxid: number;
}

export interface LitestreamOptions {
  readonly socketPath: string;
  /** As Litestream's file names it. */
  readonly databasePath: string;
}

export class Litestream {
  readonly #options: LitestreamOptions;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(options: LitestreamOptions) {
    this.#options = options;
  }

  /**
   * Resolves with a name of the answering process, another one after each start of Litestream, and
   * its process id. Rejects with one sentence if it does not answer, is too old, or does not list
   * the database.
   */
  async identify(): Promise<{ readonly process: string; readonly pid: number }> {
    const { socketPath, databasePath } = this.#options;
    const info = await this.#ask('GET', '/info', undefined, QUESTION_MAX_MS);
    const version = String(info['version']);
    if (!isRecent(version)) {
      throw new Error(
        `Litestream on ${socketPath} has version ${version.slice(0, 40)}; it must be ${VERSION_MIN.join('.')} or newer, whose SQLite may write the log back beside the service`,
      );
    }
    const { databases } = await this.#ask('GET', '/list', undefined, QUESTION_MAX_MS);
    const paths = Array.isArray(databases) ? databases.map((database) => database?.path) : [];
    if (!paths.includes(databasePath)) {
      throw new Error(
        `Litestream on ${socketPath} does not list the database; add "- path: ${databasePath}" under "dbs:" in its file and restart it`,
      );
    }
    return { process: `${info['pid']} ${info['started_at']}`, pid: Number(info['pid']) };
  }

  /**
   * Has Litestream take every commit so far from the log, and write the log back if it is long;
   * with `wait`, also until the replica has them. Litestream gives up after `maxSeconds`; the call
   * waits for that. Rejects with one sentence.
   */
  async sync(wait: boolean, maxSeconds: number): Promise<SyncAnswer> {
    const order = { path: this.#options.databasePath, wait, timeout: maxSeconds };
    const answer = await this.#ask('POST', '/sync', order, (maxSeconds + 5) * 1_000);
    const [txid, replicatedTxid] = [Number(answer['txid']), Number(answer['replicated_txid'])];
    // Its answer for a path where it sees no file has change 0.
    if (!(txid > 0)) throw new Error('Litestream sees no database there; check its user and path');
    if (wait && !(replicatedTxid >= txid)) {
      throw new Error(`the replica has change ${replicatedTxid} of ${txid}`);
    }
    return { txid, replicatedTxid };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    maxMs: number,
  ): Promise<Record<string, unknown>> {
    const { socketPath } = this.#options;
    const signal = AbortSignal.timeout(maxMs);
    const asked = new Promise<[number | undefined, string]>((resolve, reject) => {
      const call = request({ socketPath, path, method, agent: this.#agent, signal }, (response) =>
        text(response).then((read) => resolve([response.statusCode, read]), reject),
      );
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
    const [status, answer] = await asked.catch((error: unknown) => {
      throw new LitestreamUnreachable(socketPath, error);
    });
    return answerOf(status, answer);
  }
}

/** No answer came. */
export class LitestreamUnreachable extends Error {
  /** Nobody listens: Litestream has ended, or was never started. */
  readonly isAbsent: boolean;

  constructor(socketPath: string, cause: unknown) {
    const { code, name } = cause as Error & { code?: unknown };
    const isLate = name === 'AbortError' || name === 'TimeoutError';
    const finding = isLate ? 'does not answer in time' : `does not answer (${code ?? name})`;
    super(
      code === 'EACCES'
        ? `this user may not use Litestream's socket ${socketPath}; run both as one user`
        : `Litestream ${finding} on ${socketPath}; start it with "socket:" in its file, or name its socket: REPLICATION=async:/path`,
    );
    this.isAbsent = code === 'ENOENT' || code === 'ECONNREFUSED';
  }
}

function answerOf(status: number | undefined, answer: string): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...objectIn(answer) };
  if (status === 200) return fields;
  // A replica's address may hold a password.
  const reason = String(fields['error'] ?? `status ${status}`)
    .replaceAll(/\/\/[^/\s@]*@/g, '//(hidden)@')
    .replaceAll(/\s+/g, ' ');
  throw new Error(`Litestream says: ${reason.slice(0, REASON_MAX_CHARACTERS)}`);
}

function isRecent(version: string): boolean {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];
  const difference = VERSION_MIN.map((min, i) => (parts[i] ?? -1) - min).find((by) => by !== 0);
  return (difference ?? 0) >= 0;
}
