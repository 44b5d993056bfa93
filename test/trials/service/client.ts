// The client of all trials: requests of an account or of the operator to a host.

import { ADMIN_KEY, type Envelope, type Reply, type Row } from '../../support/contract.js';
import type { RunningHost } from '../../support/hosts.js';
import { asAccount } from '../../support/identity-stub.js';

type Fetch = RunningHost['fetch'];

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Under `/api/v1`. */
  readonly path: string;
  /** The subject of the calling account; without it, the operator calls. */
  readonly account?: string | undefined;
  readonly requestId?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** No complete response has arrived. */
export class NoAnswer extends Error {
  /** It never reached the service. */
  readonly isRefused: boolean;

  constructor(cause: unknown) {
    super(`no answer: ${cause}`, { cause });
    const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException;
    this.isRefused = code === 'ECONNREFUSED';
  }
}

/** Histories freeze a service for 20 s. */
const ANSWER_MAX_MS = 30_000;

export type Client = ReturnType<typeof clientOf>;

/** A client of a server's origin, or of a host in this process. */
export function clientOf(host: string | Fetch) {
  const ask: Fetch =
    typeof host === 'string'
      ? (path, init) => fetch(host + path, init)
      : (path, init) => host(path, init);

  /** Rejects with `NoAnswer` unless a complete response arrives. */
  async function send<Data = Row>(call: Call): Promise<Reply<Data>> {
    const { method, path, account, requestId, body } = call;
    const headers = {
      ...(account === undefined ? { 'X-Service-Admin-Key': ADMIN_KEY } : asAccount(account)),
      ...(requestId !== undefined && { 'X-Request-ID': requestId }),
    };
    const signal = AbortSignal.timeout(ANSWER_MAX_MS);
    const sent = body !== undefined && { body: JSON.stringify(body) };
    const asked = ask(`/api/v1${path}`, { method, headers, signal, ...sent }).then(
      async (response) => ({ response, text: await response.text() }),
    );
    const { response, text } = await asked.catch((error: unknown) => {
      throw new NoAnswer(error);
    });
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  }

  /** Rejects unless the status is 200. */
  async function get<Data>(path: string, account?: string): Promise<Envelope<Data>> {
    const { status, json, text } = await send<Data>({ method: 'GET', path, account });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return json;
  }

  /** Every row of a list, page by page. */
  async function all<Row>(path: string, account?: string): Promise<Row[]> {
    const size = account === undefined ? 200 : 100;
    const rows: Row[] = [];
    for (let page = 1; ; page++) {
      const { data, meta } = await get<Row[]>(`${path}?page_size=${size}&page=${page}`, account);
      rows.push(...data);
      if (page >= meta.pagination.total_pages) return rows;
    }
  }

  return { send, get, all };
}

/** The settings of a trial's service over a database file. */
export function settingsOf(file: string, identity: { readonly url: string }) {
  return {
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: identity.url,
    AUTH_CACHE_SECONDS: '300',
    ADMIN_API_KEY: ADMIN_KEY,
  };
}
