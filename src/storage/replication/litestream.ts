// Litestream's control socket: which version answers, which databases it has,
// and the one order that the service gives it, to sync now.

import { Agent, request } from 'node:http';

/** The first release whose own SQLite has the mend of the WAL-reset defect (it bundles 3.53.0; 0.5.16 bundled 3.51.2). */
const VERSION_MIN = [0, 5, 17] as const;
/** A question that needs no disk and no network is answered at once, or Litestream hangs. */
const QUESTION_MAX_MS = 2_000;
/** Of an error's text, so much is repeated. */
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
  /** One connection is kept open: a new one for each commit would cost more than the sync. */
  readonly #agent = new Agent({ keepAlive: true });

  constructor(options: LitestreamOptions) {
    this.#options = options;
  }

  /**
   * Resolves with a name of the answering process, another one after each start of Litestream,
   * and its process id. Rejects with one sentence where it does not answer, is too old, or does not list the database.
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
   * Has Litestream take every commit so far from the log, and write the log back
   * where it is long; with `wait`, also until the replica has them. Litestream
   * gives up after `maxSeconds`; the call waits for that. Rejects with one sentence.
   */
  async sync(wait: boolean, maxSeconds: number): Promise<SyncAnswer> {
    const order = { path: this.#options.databasePath, wait, timeout: maxSeconds };
    const answer = await this.#ask('POST', '/sync', order, (maxSeconds + 5) * 1_000);
    const [txid, replicatedTxid] = [Number(answer['txid']), Number(answer['replicated_txid'])];
    // It answers so for a path where it sees no file.
    if (!(txid > 0)) throw new Error('Litestream sees no database there; check its user and path');
    if (wait && !(replicatedTxid >= txid)) {
      throw new Error(`the replica has change ${replicatedTxid} of ${txid}`);
    }
    return { txid, replicatedTxid };
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    maxMs: number,
  ): Promise<Record<string, unknown>> {
    const { socketPath } = this.#options;
    return new Promise((resolve, reject) => {
      const call = request(
        { socketPath, path, method, agent: this.#agent, signal: AbortSignal.timeout(maxMs) },
        (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('error', (error) => reject(this.#unreachable(error)));
          response.on('end', () => {
            try {
              resolve(answerOf(response.statusCode, Buffer.concat(pieces).toString()));
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      call.on('error', (error) => reject(this.#unreachable(error)));
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  #unreachable(error: Error & { code?: unknown }): LitestreamUnreachable {
    const { socketPath } = this.#options;
    const code = String(error.code ?? error.name);
    if (code === 'EACCES') {
      return new LitestreamUnreachable(
        `this user may not use Litestream's socket ${socketPath}; run both as one user`,
        code,
      );
    }
    const finding =
      code === 'ABORT_ERR' || code === 'AbortError' || code === '23' || code === 'TimeoutError'
        ? 'does not answer in time'
        : `does not answer (${code})`;
    return new LitestreamUnreachable(
      `Litestream ${finding} on ${socketPath}; start it, with "socket:" in its file, or name its socket in LITESTREAM_SOCKET`,
      code,
    );
  }
}

/** No answer came. */
export class LitestreamUnreachable extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }

  /** Nobody listens: Litestream has ended, or was never started. */
  get isAbsent(): boolean {
    return this.code === 'ENOENT' || this.code === 'ECONNREFUSED';
  }
}

function answerOf(status: number | undefined, text: string): Record<string, unknown> {
  const answer: unknown = parsed(text);
  const fields = typeof answer === 'object' && answer !== null ? { ...answer } : {};
  if (status === 200) return fields;
  const reason = 'error' in fields ? String(fields.error) : `status ${status}`;
  throw new Error(`Litestream says: ${masked(reason)}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A replica's address may hold a password. */
function masked(reason: string): string {
  return reason
    .replaceAll(/\/\/[^/\s@]*@/g, '//(hidden)@')
    .replaceAll(/\s+/g, ' ')
    .slice(0, REASON_MAX_CHARACTERS);
}

function isRecent(version: string): boolean {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (parts === undefined) return false;
  for (const [i, min] of VERSION_MIN.entries()) {
    const part = parts[i] ?? 0;
    if (part !== min) return part > min;
  }
  return true;
}
