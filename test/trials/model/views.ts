// Compares the operator's views with the models of all accounts, while there are no writes.

import assert from 'node:assert';
import type { Usage } from '../../../src/core/domain/api-schema.js';
import { COLLECTIONS } from '../../support/collection-table.js';
import type { Client } from '../service/client.js';
import type { AccountModel } from './account-model.js';
import { OPERATOR_PAGES, pageOf } from './account-model.js';
import type { AccountRun } from './account-run.js';
import { assertEqual, view } from './exchange.js';

/** `models` are all accounts that have or had records, in any order. */
export async function checkViews(
  client: Client,
  models: readonly AccountModel[],
  accounts: readonly AccountRun[],
) {
  const summaries = models
    .map((model) => model.summary())
    .filter(({ record_count }) => record_count > 0)
    .sort((a, b) => (a.owner_sub < b.owner_sub ? -1 : 1));
  const record_count = summaries.reduce((count, summary) => count + summary.record_count, 0);
  const counts = Object.fromEntries(
    COLLECTIONS.map((name) => [
      name,
      summaries.reduce((count, { resources }) => count + Number(resources[name]), 0),
    ]),
  );
  const get = (path: string) => view(client, path);
  const overview = { tenant_count: summaries.length, record_count, resources: counts };
  assertEqual((await get('/overview')).data, overview, 'the overview');
  for (const page of ['1', '2', '99']) {
    const answer = await get(`/accounts?page_size=2&page=${page}`);
    const wanted = pageOf(summaries, { page, page_size: '2' }, OPERATOR_PAGES);
    assertEqual({ data: answer.data, pagination: answer.pagination }, wanted, 'the accounts');
  }
  const [first] = summaries;
  if (first !== undefined) {
    const found = (await get(`/accounts?q=${first.owner_sub.toUpperCase()}`)).data;
    const isFound = JSON.stringify(found).includes(JSON.stringify(first));
    assert(isFound, 'an account is not found by its name');
  }
  await checkUsage(client, models, counts, accounts);
  await checkAudit(client, accounts);
}

async function checkUsage(
  client: Client,
  models: readonly AccountModel[],
  counts: Record<string, number>,
  accounts: readonly AccountRun[],
) {
  const { data: usage } = await view<Usage>(client, '/usage');
  const bytesOf = (name: (typeof COLLECTIONS)[number]) =>
    models.reduce((bytes, model) => bytes + model.bytes(name), 0);
  const resources = COLLECTIONS.map((name) => {
    const { last_updated_at } = usage.resources[name];
    assert(
      (last_updated_at === null) === (counts[name] === 0),
      `last update of ${name}: ${last_updated_at}`,
    );
    const records = counts[name];
    // All records here are younger than a day.
    const created = { created_last_24_hours: records, created_last_7_days: records };
    const times = { ...created, created_last_30_days: records, last_updated_at };
    return [name, { records, payload_bytes: bytesOf(name), ...times }];
  });
  const wanted = {
    record_count: Object.values(counts).reduce((sum, count) => sum + count, 0),
    payload_bytes: COLLECTIONS.reduce((bytes, name) => bytes + bytesOf(name), 0),
    resources: Object.fromEntries(resources),
    audit_event_count: accounts.reduce((count, { events }) => count + events.length, 0),
  };
  assertEqual(usage, wanted, 'the usage');
}

/** The event with its names sorted: their order means nothing. */
function inOrder(event: { changed?: unknown }) {
  return { ...event, changed: [...(event.changed as string[])].sort() };
}

/** Checks that the log is newest first and holds each account's events in their order. */
async function checkAudit(client: Client, accounts: readonly AccountRun[]) {
  const rows = await client.all<Record<string, unknown>>('/admin/audit');
  const ids = rows.map(({ id }) => Number(id));
  assert(
    ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0)),
    'the audit log is not newest first',
  );
  for (const { model, events } of accounts) {
    const own = rows
      .filter(({ owner_sub }) => owner_sub === model.subject)
      .map(({ id, actor, timestamp, owner_sub, ...event }) => {
        const age = Date.now() - Date.parse(String(timestamp));
        assert(actor === 'admin' && age >= 0 && age < 3_600_000, `the event ${id} of ${timestamp}`);
        return inOrder(event);
      });
    assertEqual(own, events.toReversed().map(inOrder), `the audit log of ${model.subject}`);
  }
  const known = accounts.reduce((count, { events }) => count + events.length, 0);
  assert(rows.length === known, `${rows.length} audit events, not ${known}`);
}
