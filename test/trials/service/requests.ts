// Requests of an account or of the operator, over kept-alive connections.

import { Agent } from 'node:http';
import { exchange } from './exchange.js';
import { ADMIN_KEY } from './service-process.js';

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Under `/api/v1`. */
  path: string;
  /** The account whose token is sent; without it the operator's key is sent. */
  account?: string;
  requestId?: string;
  body?: unknown;
}

/** The JSON of a successful answer. */
export interface Envelope<Data> {
  data: Data;
  meta: { pagination: { total: number; total_pages: number } };
}

export interface Answer {
  status: number;
  json: Envelope<{ id: string }>;
}

export type Client = ReturnType<typeof clientOf>;

/** A client of one server. Close it when that server is gone. */
export function clientOf(origin: string) {
  const agent = new Agent({ keepAlive: true });

  /** Rejects unless the whole answer arrives. */
  async function send({ method, path, account, requestId, body }: Call): Promise<Answer> {
    const headers = {
      ...(account === undefined
        ? { 'X-Service-Admin-Key': ADMIN_KEY }
        : { Authorization: `Bearer ${account}` }),
      ...(requestId !== undefined && { 'X-Request-ID': requestId }),
    };
    const sent = { method, headers, agent, body: body === undefined ? body : JSON.stringify(body) };
    const { status, text } = await exchange(`${origin}/api/v1${path}`, sent);
    return { status, json: JSON.parse(text) };
  }

  /** A GET by the account, or by the operator without one. Rejects unless the answer is 200. */
  async function get<Data>(path: string, account = ''): Promise<Envelope<Data>> {
    const { status, json } = await send({ method: 'GET', path, ...(account && { account }) });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(json)}`);
    return json as Envelope<unknown> as Envelope<Data>;
  }

  /** Every row of a list, page by page. */
  async function all<Row>(path: string, account = ''): Promise<Row[]> {
    const size = account === '' ? 200 : 100;
    const rows: Row[] = [];
    for (let page = 1; ; page++) {
      const { data, meta } = await get<Row[]>(`${path}?page_size=${size}&page=${page}`, account);
      rows.push(...data);
      if (page >= meta.pagination.total_pages) return rows;
    }
  }

  return { send, get, all, close: () => agent.destroy() };
}
