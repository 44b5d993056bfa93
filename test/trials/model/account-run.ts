// One account's part of a run: sends its commands in order and compares every response with the
// model of that account.

import assert from 'node:assert';
import { type CollectionName, ROW_OF } from '../../support/collection-table.js';
import { MARKS } from '../../support/failing-writes.js';
import type { Call } from '../service/client.js';
import type { JsonRecord } from './account-model.js';
import {
  AccountModel,
  changedNames,
  createdNames,
  isValid,
  OPERATOR_PAGES,
  OWN_PAGES,
  pageOf,
} from './account-model.js';
import type { Command, Query } from './commands.js';
import { assertEqual, canaryOf, exchange } from './exchange.js';
import type { Shared } from './run.js';

export type Event = { action: string; resource: string; record_id: string; changed: string[] };

export class AccountRun {
  /** The events that the audit log must hold for this account, oldest first. */
  events: Event[] = [];
  /** Ids of other accounts' records; requests for them must get 404. */
  strangers: string[] = [];
  #gone = ['CUS-999999', 'constructor', '..%2f..'];

  readonly model: AccountModel;
  readonly shared: Shared;

  constructor(subject: string, shared: Shared) {
    this.model = new AccountModel(subject);
    this.shared = shared;
  }

  async run(commands: readonly Command[]) {
    for (const command of commands) {
      this.shared.counts.commands++;
      await this.#perform(command);
    }
  }

  #perform(command: Command) {
    const { collection, byOperator } = command;
    const id = this.#pick(collection, command.pick);
    switch (command.kind) {
      case 'create':
        return this.#create(collection, byOperator, this.#marked(command.body));
      case 'read':
        return this.#read(collection, byOperator, id);
      case 'patch':
        return this.#patch(collection, byOperator, id, command.body);
      case 'delete':
        return this.#delete(collection, byOperator, id);
      case 'list':
        return this.#list(collection, byOperator, command.query);
      case 'payments':
        return this.#payments();
      case 'account':
        return this.#account();
    }
  }

  async #create(collection: CollectionName, byOperator: boolean, body: JsonRecord) {
    const last = this.shared.sequences.get(collection) ?? 0;
    const path = this.#path(byOperator, collection);
    const { status, data } = await this.#write(byOperator, 'POST', path, body);
    if (!isValid(collection, body))
      return assert(status === 422, `POST ${path}: ${status}, not 422`);
    if (status === 500) return;
    assert(status === 201, `POST ${path}: ${status}, not 201`);
    const id = String((data as JsonRecord)['id']);
    const { idPrefix, idDigitsMin } = ROW_OF[collection];
    const number = Number(id.slice(idPrefix.length));
    assertEqual(id, idPrefix + String(number).padStart(idDigitsMin, '0'), 'the form of an id');
    assert(number > last, `${id} is not above ${last}`);
    assert(!this.shared.ids.has(id), `${id} is given twice`);
    this.shared.ids.add(id);
    const highest = Math.max(number, this.shared.sequences.get(collection) ?? 0);
    this.shared.sequences.set(collection, highest);
    assertEqual(data, this.model.created(collection, body, id), `POST ${path}`);
    this.model.put(collection, id, data as JsonRecord);
    this.#audit(byOperator, 'create', collection, id, createdNames(collection, body));
  }

  async #read(collection: CollectionName, byOperator: boolean, id: string) {
    const path = this.#path(byOperator, collection, id);
    const { status, data } = await this.#request(byOperator, 'GET', path);
    const wanted = this.model.read(collection, id);
    assertEqual([status, data], [wanted === undefined ? 404 : 200, wanted], `GET ${path}`);
  }

  async #patch(collection: CollectionName, byOperator: boolean, id: string, body: JsonRecord) {
    const path = this.#path(byOperator, collection, id);
    const { status, data } = await this.#write(byOperator, 'PATCH', path, body);
    const stored = this.model.read(collection, id);
    if (status === 500) return;
    if (stored === undefined) return assert(status === 404, `PATCH ${path}: ${status}, not 404`);
    const merged = this.model.merged(stored, body);
    if (!isValid(collection, merged))
      return assert(status === 422, `PATCH ${path}: ${status}, not 422`);
    assertEqual({ status, data }, { status: 200, data: merged }, `PATCH ${path}`);
    this.model.put(collection, id, data as JsonRecord);
    this.#audit(byOperator, 'update', collection, id, changedNames(stored, data as JsonRecord));
  }

  async #delete(collection: CollectionName, byOperator: boolean, id: string) {
    const path = this.#path(byOperator, collection, id);
    const { status, data } = await this.#write(byOperator, 'DELETE', path);
    if (status === 500) return;
    const isThere = this.model.read(collection, id) !== undefined;
    const wanted = isThere ? [200, { id, deleted: true }] : [404, undefined];
    assertEqual([status, data], wanted, `DELETE ${path}`);
    if (!isThere) return;
    this.model.delete(collection, id);
    this.#gone.push(id);
    this.#audit(byOperator, 'delete', collection, id, []);
  }

  async #list(collection: CollectionName, byOperator: boolean, query: Query) {
    const given: [string, string][] = Object.entries(query).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    const path = `${this.#path(byOperator, collection)}?${new URLSearchParams(given)}`;
    const answer = await this.#request(byOperator, 'GET', path);
    const { q, status, page, page_size } = Object.fromEntries(given);
    // The operator's list has no filter by status.
    const filters = { q: q ?? '', status: byOperator ? '' : (status ?? '') };
    const rows = this.model.matching(collection, filters);
    const sizes = byOperator ? OPERATOR_PAGES : OWN_PAGES;
    const { data, pagination } = pageOf(rows, { page, page_size }, sizes);
    const wanted = { status: 200, data, pagination, code: undefined };
    assertEqual(answer, wanted, `GET ${path}`);
  }

  async #payments() {
    const rows = this.model.payments();
    const path = '/payments?q=nothing&page=9';
    const { status, data, pagination } = await this.#request(false, 'GET', path);
    const page = { page: 1, page_size: rows.length, total: rows.length, total_pages: 1 };
    assertEqual([status, data, pagination], [200, rows, page], `GET ${path}`);
  }

  async #account() {
    const summary = this.model.summary();
    const { status, data } = await this.#request(true, 'GET', this.#path(true));
    if (summary.record_count === 0)
      return assert(status === 404, `an account without records: ${status}`);
    const profiles = this.model.matching('businesses', {});
    assertEqual(
      { status, data },
      { status: 200, data: { ...summary, profiles } },
      'GET an account',
    );
  }

  /** Sends a write. It may get 500 if it was committed together with one that storage refuses. */
  async #write(byOperator: boolean, method: Call['method'], path: string, body?: JsonRecord) {
    const answer = await this.#request(byOperator, method, path, body);
    if (answer.status === 500) {
      assert(answer.code === 'STORAGE_FAILED', `${method} ${path}: 500 ${answer.code}`);
      assert(this.shared.mayFail, `${method} ${path}: 500, and nothing was refused`);
      this.shared.counts.refused++;
    } else if (this.shared.mayFail && JSON.stringify(body ?? '').includes(MARKS.put)) {
      assert(answer.status >= 400, `${method} ${path}: stored what storage refuses`);
    }
    return answer;
  }

  #request(byOperator: boolean, method: Call['method'], path: string, body?: JsonRecord) {
    const account = byOperator ? undefined : this.model.subject;
    return exchange(this.shared.client, { method, path, account, body });
  }

  /** Every record of the account holds its canary. */
  #marked(body: JsonRecord) {
    return { ...body, mark: canaryOf(this.model.subject) };
  }

  #path(byOperator: boolean, collection?: CollectionName, id?: string) {
    const account = byOperator ? `/admin/accounts/${encodeURIComponent(this.model.subject)}` : '';
    return [account, collection, id].filter((part) => part !== undefined).join('/');
  }

  /** Mostly an id that exists; sometimes one that is deleted, unknown or another account's. */
  #pick(collection: CollectionName, pick: number) {
    const others = [...this.#gone, ...this.strangers];
    const ids = this.model.ids(collection);
    const from = ids.length === 0 || pick % 5 === 4 ? others : ids;
    return from[pick % from.length] ?? 'CUS-999999';
  }

  #audit(
    byOperator: boolean,
    action: string,
    resource: CollectionName,
    record_id: string,
    changed: string[],
  ) {
    if (!byOperator) return;
    this.shared.counts.events++;
    this.events.push({ action, resource, record_id, changed });
  }
}
