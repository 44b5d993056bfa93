// Requests of an account or of the operator, over kept-alive connections.

import { Agent, request } from 'node:http';
import { jsonReply } from '../../support/json-reply.js';
import { ADMIN_KEY } from './service-process.js';

const ANSWER_TIMEOUT_MS = 30_000;

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
  meta: { pagination: { total_pages: number } };
}

export interface Answer {
  status: number;
  json: Envelope<{ id: string }>;
}

export type Client = ReturnType<typeof clientOf>;

/** A client of one server. Close it when that server is gone. */
export function clientOf(origin: string, adminKey = ADMIN_KEY) {
  const agent = new Agent({ keepAlive: true });

  /** Rejects unless the whole answer arrives. */
  function send({ method, path, account, requestId, body }: Call): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(account === undefined
        ? { 'X-Service-Admin-Key': adminKey }
        : { Authorization: `Bearer ${account}` }),
      ...(requestId !== undefined && { 'X-Request-ID': requestId }),
      ...(text !== undefined && { 'Content-Length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const url = `${origin}/api/v1${path}`;
      const sent = request(url, { method, headers, agent, timeout: ANSWER_TIMEOUT_MS });
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.on('error', reject);
      sent.on('response', (response) => {
        jsonReply(response).then(resolve, ({ message }) =>
          reject(new Error(`${method} ${path}: ${message}`)),
        );
      });
      sent.end(text);
    });
  }

  /** A GET by the account, or by the operator without one. Rejects unless the answer is 200. */
  async function get<Data>(path: string, account = ''): Promise<Envelope<Data>> {
    const { status, json } = await send({
      method: 'GET',
      path,
      ...(account !== '' && { account }),
    });
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
