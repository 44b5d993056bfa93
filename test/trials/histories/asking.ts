// The requests of the histories, each recorded with what was answered.

import { Agent } from 'node:http';
import { asAccount } from '../../support/identity-stub.js';
import { exchange } from '../service/exchange.js';
import type { Envelope } from '../service/requests.js';
import { ADMIN_KEY } from '../service/service-process.js';
import type { Operation, Payment, Properties, RecordedEvent, Recorder } from './recorder.js';

export const COLLECTIONS = ['orders', 'customers'] as const;
export type Collection = (typeof COLLECTIONS)[number];

const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };
const AUDIT_PAGE_SIZE = 200;
export const LIST_MAX_SIZE = 100;

export interface ListQuery {
  readonly q?: string;
  readonly status?: string;
  readonly page: number;
  readonly size: number;
}

type Kind = Operation['kind'];
type Target = Pick<Operation, 'who' | 'operator' | 'coll' | 'id'>;

interface Asked {
  readonly method: string;
  /** Under `/api/v1`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Properties;
}

/** The answer; `refused`: it never reached the service; `lost`: unknown. */
type Answer = { readonly status: number; readonly json: unknown } | 'refused' | 'lost';

/** An event of the audit log. */
interface AnsweredEvent {
  readonly action: string;
  readonly resource: string;
  readonly record_id: string;
  readonly owner_sub: string;
  readonly changed: string[];
}

/** The service's current origin, for a client; waits while it is down. */
export type Place = (client: number) => Promise<string>;

/** One client. Every call resolves with its recorded operation, or undefined when none was recorded. */
export class Asking {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #client: number;
  readonly #recorder: Recorder;
  readonly #place: Place;
  /** Requests that the service answered without doing anything. */
  refusals = 0;

  constructor(client: number, recorder: Recorder, place: Place) {
    this.#client = client;
    this.#recorder = recorder;
    this.#place = place;
  }

  write(kind: 'create' | 'patch' | 'delete', target: Target, body?: Properties) {
    const method = { create: 'POST', patch: 'PATCH', delete: 'DELETE' }[kind];
    const asked = { method, path: pathOf(target), headers: headersOf(target) };
    const sent = body === undefined ? asked : { ...asked, body };
    return this.#ask<Properties>(kind, target, sent, ({ data }) =>
      kind === 'delete' ? {} : { id: String(data['id']), record: data },
    );
  }

  read(target: Target) {
    const asked = { method: 'GET', path: pathOf(target), headers: headersOf(target) };
    return this.#ask<Properties>('read', target, asked, ({ data }) => ({ record: data }));
  }

  list(target: Omit<Target, 'id'>, { q = '', status = '', page, size }: ListQuery) {
    const query = new URLSearchParams({ page: String(page), page_size: String(size) });
    if (q !== '') query.set('q', q);
    if (status !== '') query.set('status', status);
    const place = { ...target, id: '' };
    const asked = { method: 'GET', path: `${pathOf(place)}?${query}`, headers: headersOf(place) };
    return this.#ask<Properties[]>('list', place, asked, ({ data, meta }) => {
      return { rows: data, total: meta.pagination.total, q, status, page, size };
    });
  }

  payments(who: string) {
    const asked = { method: 'GET', path: '/payments', headers: asAccount(who) };
    return this.#ask<Payment[]>('payments', ofAll(who), asked, ({ data }) => ({
      payments: data.map(({ order_id, amount, paid, due, status }) => {
        return { order_id, amount, paid, due, status };
      }),
    }));
  }

  /** The operator's page of one account. */
  page(who: string) {
    const path = `/accounts/${encodeURIComponent(who)}`;
    return this.#view<{ record_count: number; resources: Record<string, number> }>(
      'page',
      path,
      who,
      ({ data }) => ({ totals: { records: data.record_count, counts: data.resources } }),
    );
  }

  /** The newest events, in the order in which they happened. */
  audit() {
    const path = `/audit?page_size=${AUDIT_PAGE_SIZE}`;
    return this.#view<AnsweredEvent[]>('audit', path, '', ({ data, meta }) => ({
      events: data.map(recordedEvent).reverse(),
      whole: meta.pagination.total <= AUDIT_PAGE_SIZE,
    }));
  }

  /** Every event, page by page; only while nothing changes. */
  async wholeAudit() {
    const call = this.#recorder.now();
    const events = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const path = `/admin/audit?page_size=${AUDIT_PAGE_SIZE}&page=${page}`;
      const asked = { method: 'GET', path, headers: OPERATOR };
      const answer = await this.#send(await this.#place(this.#client), asked);
      if (typeof answer === 'string' || answer.status !== 200) throw new Error('no audit log');
      const { data, meta } = answer.json as Envelope<AnsweredEvent[]>;
      events.push(...data.map(recordedEvent));
      pages = meta.pagination.total_pages;
    }
    const about = { kind: 'audit' as const, ...ofAll(''), operator: true, client: this.#client };
    const answer = { events: events.reverse(), whole: true, code: 200 };
    return this.#recorder.take({ ...about, call, ...answer });
  }

  close(): void {
    this.#agent.destroy();
  }

  #view<Data>(kind: Kind, path: string, who: string, read: Reading<Data>) {
    const asked = { method: 'GET', path: `/admin${path}`, headers: OPERATOR };
    return this.#ask(kind, { ...ofAll(who), operator: true }, asked, read);
  }

  async #send(origin: string, { method, path, headers, body }: Asked): Promise<Answer> {
    try {
      const sent = { method, headers, agent: this.#agent, body: body && JSON.stringify(body) };
      const { status, text } = await exchange(`${origin}/api/v1${path}`, sent);
      return { status, json: JSON.parse(text) };
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'lost';
    }
  }

  async #ask<Data>(
    kind: Kind,
    target: Target,
    asked: Asked,
    read: Reading<Data>,
  ): Promise<Operation | undefined> {
    const origin = await this.#place(this.#client);
    const call = this.#recorder.now();
    const answer = await this.#send(origin, asked);
    const { method, body } = asked;
    const about = { kind, ...target, call, client: this.#client, ...(body && { body }) };
    const isWrite = method !== 'GET';
    if (answer === 'lost') {
      if (isWrite) this.#recorder.takeLost(about);
      return undefined;
    }
    if (answer === 'refused') return undefined;
    const { status, json } = answer;
    if (status < 300) {
      return this.#recorder.take({ ...about, code: status, ...read(json as Envelope<Data>) });
    }
    if (status === 404) return this.#recorder.take({ ...about, code: status });
    // "A 500 on a write means unknown to the client": one process has decided it by then.
    if (status === 500 && isWrite) return this.#recorder.takeFailed(about);
    this.refusals++;
    return undefined;
  }
}

function recordedEvent(event: AnsweredEvent): RecordedEvent {
  const { action, resource, record_id, owner_sub, changed } = event;
  return { action, coll: resource, id: record_id, who: owner_sub, changed };
}

type Reading<Data> = (answer: Envelope<Data>) => Partial<Operation>;

function pathOf({ who, operator, coll, id }: Target): string {
  const path = id === '' ? `/${coll}` : `/${coll}/${id}`;
  return operator ? `/admin/accounts/${encodeURIComponent(who)}${path}` : path;
}

function headersOf({ who, operator }: Target): Record<string, string> {
  return operator ? OPERATOR : asAccount(who);
}

function ofAll(who: string): Target {
  return { who, operator: false, coll: '', id: '' };
}
