// The requests of one client of a load, each recorded with its response.

import type { Envelope } from '../../support/contract.js';
import { type Call, clientOf, NoAnswer } from '../service/client.js';
import type { StoredEvent } from './compare.js';
import type { Asked, Operation, Payment, Properties, Recorder, Target } from './recorder.js';

export const COLLECTIONS = ['orders', 'customers'] as const;
export type Collection = (typeof COLLECTIONS)[number];

const AUDIT_PAGE_SIZE = 200;
const METHODS = { create: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

export interface ListQuery {
  readonly q?: string;
  readonly status?: string;
  readonly page: number;
  readonly size: number;
}

type AnsweredEvent = StoredEvent & { readonly owner_sub: string };

/** How a host serves its clients. */
export interface Place {
  /** The service's current origin, for a client; waits while it is down. */
  originFor(client: number): Promise<string>;
  /** Whether a write that got 500 may still be made, by another process than the one that responded. */
  readonly is500Open: boolean;
}

type Reading<Data> = (answer: Envelope<Data>) => Partial<Operation>;

/** Every call resolves with its recorded operation, or undefined when none was recorded. */
export class RandomClient {
  readonly client: number;
  readonly #recorder: Recorder;
  readonly #place: Place;
  /** Requests that got a response without any effect. */
  refusals = 0;
  /** The status of the last response. */
  last: number | 'lost' = 200;

  constructor(client: number, recorder: Recorder, place: Place) {
    this.client = client;
    this.#recorder = recorder;
    this.#place = place;
  }

  write(kind: keyof typeof METHODS, target: Target, body?: Properties) {
    const call = { method: METHODS[kind], path: pathOf(target), body };
    return this.#ask<Properties>(kind, target, call, ({ data }) =>
      kind === 'delete' ? {} : { id: String(data['id']), record: data },
    );
  }

  read(target: Target) {
    return this.#get<Properties>('read', target, pathOf(target), ({ data }) => ({ record: data }));
  }

  list(target: Target, { q = '', status = '', page, size }: ListQuery) {
    const query = new URLSearchParams({ page: String(page), page_size: String(size) });
    if (q !== '') query.set('q', q);
    if (status !== '') query.set('status', status);
    const path = `${pathOf(target)}?${query}`;
    return this.#get<Properties[]>('list', target, path, ({ data, meta }) => {
      return { rows: data, total: meta.pagination.total, q, status, page, size };
    });
  }

  payments(who: string) {
    return this.#get<Payment[]>('payments', ofAll(who, false), '/payments', ({ data }) => ({
      payments: data.map(({ order_id, amount, paid, due, status }) => {
        return { order_id, amount, paid, due, status };
      }),
    }));
  }

  /** The operator's page of one account. */
  page(who: string) {
    type Data = { record_count: number; resources: Record<string, number> };
    const path = `/admin/accounts/${encodeURIComponent(who)}`;
    return this.#get<Data>('page', ofAll(who, true), path, ({ data }) => {
      return { totals: { records: data.record_count, counts: data.resources } };
    });
  }

  /** The newest events, in the order in which they happened. */
  audit() {
    const path = `/admin/audit?page_size=${AUDIT_PAGE_SIZE}`;
    return this.#get<AnsweredEvent[]>('audit', ofAll('', true), path, ({ data, meta }) => ({
      events: data.map(recorded).reverse(),
      whole: meta.pagination.total <= AUDIT_PAGE_SIZE,
    }));
  }

  /** Every event, page by page; only while nothing changes. */
  async wholeAudit() {
    const call = this.#recorder.now();
    const client = clientOf(await this.#place.originFor(this.client));
    const events = (await client.all<AnsweredEvent>('/admin/audit')).map(recorded).reverse();
    const number = this.#recorder.next();
    const asked = { number, kind: 'audit', ...ofAll('', true), client: this.client, call } as const;
    return this.#recorder.take({ ...asked, events, whole: true, code: 200 });
  }

  #get<Data>(kind: Asked['kind'], target: Target, path: string, read: Reading<Data>) {
    return this.#ask(kind, target, { method: 'GET', path }, read);
  }

  async #ask<Data>(
    kind: Asked['kind'],
    target: Target,
    call: Omit<Call, 'body'> & { body?: Properties | undefined },
    read: Reading<Data>,
  ): Promise<Operation | undefined> {
    const origin = await this.#place.originFor(this.client);
    const recorder = this.#recorder;
    const number = recorder.next();
    const about = { number, kind, ...target, client: this.client, body: call.body };
    const asked = { ...about, call: recorder.now() };
    const isWrite = call.method !== 'GET';
    const account = target.operator ? undefined : target.who;
    // A trace recognises the response to a change by it.
    const requestId = `${isWrite ? 'change' : 'read'}-${number}-`;
    const sent = clientOf(origin).send<Data>({ ...call, account, requestId });
    const answer = await sent.catch((error: unknown) => {
      const isRefused = error instanceof NoAnswer && error.isRefused;
      if (isWrite && !isRefused) recorder.takeUnclear(asked, true);
    });
    this.last = answer?.status ?? 'lost';
    if (!answer) return undefined;
    const { status, json } = answer;
    if (status < 300) return recorder.take({ ...asked, code: status, ...read(json) });
    if (status === 404) return recorder.take({ ...asked, code: status });
    // "A 500 on a write means unknown to the client": one process has decided it by then.
    if (status === 500 && isWrite) return recorder.takeUnclear(asked, this.#place.is500Open);
    this.refusals++;
    return undefined;
  }
}

function recorded({ action, resource, record_id, owner_sub, changed }: AnsweredEvent) {
  return { action, coll: resource, id: record_id, who: owner_sub, changed };
}

function pathOf({ who, operator, coll, id }: Target): string {
  const path = id === '' ? `/${coll}` : `/${coll}/${id}`;
  return operator ? `/admin/accounts/${encodeURIComponent(who)}${path}` : path;
}

function ofAll(who: string, operator: boolean): Target {
  return { who, operator, coll: '', id: '' };
}
