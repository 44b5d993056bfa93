// One account set back to an earlier minute, by the admin Worker. The local runtime
// keeps no history, so the storage is one that can go back: rewinding-worker.ts.

import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { type MaintainedService, openMaintained } from './maintained-service.js';

const REWINDING = new URL('./rewinding-worker.ts', import.meta.url);

describe('An account that is set back', () => {
  let on: MaintainedService;
  beforeAll(async () => {
    on = await openMaintained({ entry: REWINDING });
    return on.close;
  });

  const restore = (owner: string, body: unknown) =>
    on.maintain('POST', `/accounts/${owner}/restore`, body);
  const remember = (owner: string) => fetch(`${on.origin}/remember?owner=${owner}`);
  const records = async (owner: string) => (await on.as(owner, 'GET', '/customers')).json.data;
  const shown = async (owner: string) => {
    const { json } = await on.operate('GET', `/admin/accounts?q=${owner}`);
    return json.data[0]?.record_count;
  };
  const audited = async (owner: string) => {
    type Event = Record<'owner_sub' | 'action', string>;
    const all: Event[] = (await on.operate('GET', '/admin/audit?page_size=200')).json.data;
    return all.filter(({ owner_sub }) => owner_sub === owner).map(({ action }) => action);
  };
  /** A time after everything so far and before everything later. */
  async function aTime(): Promise<string> {
    const time = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 2));
    return time;
  }

  /** An account with one record of before a time, and more of after it. */
  async function changed(owner: string): Promise<{ before: unknown; to: string }> {
    await on.create(owner, 'before');
    await on.as(owner, 'POST', '/businesses', { businessName: `${owner}-old-name` });
    const before = await records(owner);
    await remember(owner);
    const to = await aTime();
    await on.create(owner, 'after');
    await on.operate('POST', `/admin/accounts/${owner}/customers`, { name: 'x', phone: '1' });
    await on.as(owner, 'PATCH', '/businesses/BIZ-0001', { businessName: `${owner}-new-name` });
    return { before, to };
  }

  it('has what it had then, and the operator sees it at once', async () => {
    const { before, to } = await changed('salon');
    const { before: neighbours } = await changed('neighbour');
    const { status, json } = await restore('salon', { to });
    const data = { owner_sub: 'salon', state: 'followed', undo_bookmark: expect.any(String) };
    expect([status, json.data]).toEqual([200, expect.objectContaining(data)]);
    expect(await shown('salon-old-name')).toBe(2);
    expect(await shown('salon-new-name')).toBeUndefined();
    expect(await records('salon')).toEqual(before);
    expect(await records('neighbour')).not.toEqual(neighbours);
    // What the operator did in the time that was undone has happened all the same.
    expect(await audited('salon')).toEqual(['restore', 'create']);
    expect((await on.create('salon', 'again')).id).toBe('CUS-0002');
    await eventually(async () => expect(await shown('salon-old-name')).toBe(3));
  });

  it('has what it had before the restore, once the restore is undone', async () => {
    const { to } = await changed('undone');
    const before = await records('undone');
    const first = await restore('undone', { to });
    await on.create('undone', 'meanwhile');
    const reply = await restore('undone', { bookmark: first.json.data.undo_bookmark });
    expect([reply.status, reply.json.data.state]).toEqual([200, 'followed']);
    expect(await records('undone')).toEqual(before);
    expect(await shown('undone-new-name')).toBe(4);
    expect(await audited('undone')).toEqual(['restore', 'restore', 'create']);
  });

  it('comes back where it was erased, and is empty where the time is before its first record', async () => {
    await remember('erased');
    const young = await aTime();
    const { to, before } = await changed('erased');
    expect((await on.maintain('DELETE', '/accounts/erased')).status).toBe(200);
    await eventually(async () => expect(await shown('erased')).toBeUndefined());
    expect((await restore('erased', { to })).status).toBe(200);
    expect(await records('erased')).toEqual(before);
    await eventually(async () => expect(await shown('erased-old-name')).toBe(2));
    expect((await restore('erased', { to: young })).status).toBe(200);
    expect([await records('erased'), await shown('erased')]).toEqual([[], undefined]);
    expect((await on.create('erased', 'first')).id).toBe('CUS-0001');
  });

  it.each([
    ['no body', undefined, 'send { "to"'],
    ['a time and a copy', { to: '2026-01-01T00:00:00Z', copy: 'c' }, 'send { "to"'],
    ['a time without its zone', { to: '2026-01-01T00:00:00' }, 'not a time'],
    ['a time to come', { to: '2999-01-01T00:00:00Z' }, 'yet to come'],
    ['a time that is not kept', { to: '2020-01-01T00:00:00Z' }, 'not kept'],
    ['a bookmark that nobody gave', { bookmark: 'x' }, 'no such bookmark'],
  ])('stays as it is for %s', async (_, body, words) => {
    await on.create('stays', 'kept');
    const before = await records('stays');
    const { status, json } = await restore('stays', body);
    expect([status, json.error?.message]).toEqual([422, expect.stringContaining(words)]);
    expect(await records('stays')).toEqual(before);
    expect(await audited('stays')).toEqual([]);
  });

  it('stays as it is where the platform does not carry it out, and the answer says so', async () => {
    const { to } = await changed('ignored');
    const before = await records('ignored');
    await fetch(`${on.origin}/ignore-restores`);
    const { status, json } = await restore('ignored', { to });
    expect([status, json.data.state]).toEqual([200, 'none']);
    expect(await records('ignored')).toEqual(before);
    expect(await audited('ignored')).toEqual(['create']);
  });
});
