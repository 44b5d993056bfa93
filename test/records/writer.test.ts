// The one writer: "each successful write is committed to durable storage before the in-memory copy
// changes", concurrent writes share a commit, and memory never differs from storage.

import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../src/core/domain/errors.js';
import type { Log } from '../../src/core/log.js';
import type { CommitResult } from '../../src/core/records/record-storage.js';
import { MapStorage } from './map-storage.js';
import { codeOf, MemoryRecords, type ObjectAccount, unsliced } from './memory-records.js';

const PERSON = { name: 'Neema', phone: '1' };
const ALL = { q: '', status: '', page: 1, pageSize: 100 };
const ID = 'CUS-0001';

describe('The writer', () => {
  let records: MemoryRecords;
  let storage: MapStorage;
  let logged: string[];
  let lost: unknown[];
  /** The events that the writer reports. */
  let told: unknown[][];
  let account: ObjectAccount;

  beforeEach(() => {
    storage = new MapStorage();
    logged = [];
    lost = [];
    told = [];
    const events = {
      commitEnded: (...end: unknown[]) => void told.push(end),
      auditFailed: () => void told.push(['audit failed']),
    };
    const log: Log = { info() {}, warn() {}, error: (event) => void logged.push(event) };
    const onStorageLost = (error: unknown) => void lost.push(error);
    records = new MemoryRecords({ storage, log, scheduler: unsliced(), onStorageLost, events });
    account = records.account('neema');
  });

  const stored = async (): Promise<unknown[]> =>
    (await account.list('customers', ALL)).items.map((item) => JSON.parse(item));
  const inStorage = (): unknown[] =>
    [...storage.rows.values()].map(({ body }) => JSON.parse(body)).toReversed();

  const codesOf = (outcomes: readonly Outcome<string>[]) => outcomes.map(codeOf);

  it('groups all writes that arrive during a commit into the next one', async () => {
    const owners = Array.from({ length: 50 }, (_, i) => records.account(`owner-${i % 7}`));
    await records.asOneGroup(() => owners.map((owner) => owner.create('customers', PERSON)));
    expect(storage.commits.map(({ puts }) => puts.length)).toEqual([1, 50]);
  });

  it('changes memory only after the commit', async () => {
    storage.hold();
    const creating = account.create('customers', PERSON);
    await storage.begun(1);
    expect(await stored()).toEqual([]);
    storage.release();
    await creating;
    const [created] = await stored();

    storage.hold();
    const updating = account.update('customers', ID, { name: 'Juma' });
    await storage.begun(2);
    expect(await stored()).toEqual([created]);
    storage.release();
    await updating;
    expect(await stored()).toEqual([expect.objectContaining({ name: 'Juma' })]);
    expect(storage.commits.map(({ sequences }) => sequences)).toEqual([{ customers: 1 }, {}]);

    storage.hold();
    const deleting = account.delete('customers', ID);
    await storage.begun(3);
    expect((await account.read('customers', ID)).ok).toBe(true);
    storage.release();
    await deleting;
    expect(await stored()).toEqual([]);
  });

  const error = new Error('injected');
  it.each<[CommitResult, string, boolean]>([
    [{ status: 'committed' }, 'ok', true],
    [{ status: 'committed', auditError: error }, 'ok', true],
    [{ status: 'notStored', error }, 'STORAGE_FAILED', false],
  ])('after %j returns %s, and memory equals storage', async (result, code, changed) => {
    await account.create('customers', PERSON);
    await account.create('customers', PERSON);
    const before = await stored();
    storage.outcomes.push(result);
    const outcomes = await Promise.all([
      account.update('customers', ID, { name: 'Juma' }),
      account.delete('customers', 'CUS-0002'),
      account.create('customers', PERSON),
    ]);
    expect(codesOf(outcomes)).toEqual([code, code, code]);
    const end = [result.status, 3, expect.any(Number), ...('error' in result ? [error] : [])];
    const auditFailed = 'auditError' in result ? [['audit failed']] : [];
    expect(told.slice(2)).toEqual([end, ...auditFailed]);
    const words = /nothing was changed; try again$/;
    if (outcomes[0]?.ok === false) expect(outcomes[0].failure.message).toMatch(words);
    expect(await stored()).toEqual(inStorage());
    const after = [{ id: 'CUS-0003' }, { id: ID, name: 'Juma' }];
    expect(await stored()).toMatchObject(changed ? after : before);
    expect(lost).toEqual([]);
    // In every case the writer continues, and no id is given twice.
    expect((await account.create('customers', PERSON)).ok).toBe(true);
    expect((await stored())[0]).toMatchObject({ id: 'CUS-0004' });
    expect(await stored()).toEqual(inStorage());
  });

  it.each<[string, () => unknown]>([
    ['a commit is unknown', () => storage.outcomes.push({ status: 'unknown', error })],
    ['a commit rejects', () => storage.outcomes.push(error)],
    [
      'a commit’s status is misspelt',
      () => storage.outcomes.push({ status: 'failed', error } as never),
    ],
    [
      'memory does not follow storage',
      () =>
        vi.spyOn(records.set, 'apply').mockImplementation(() => {
          throw error;
        }),
    ],
  ])('stops permanently when %s, and reports it once', async (_, goWrong) => {
    await account.create('customers', PERSON);
    const before = await stored();
    goWrong();
    const outcomes = [await account.update('customers', ID, { name: 'x' })];
    const later = [account.create('customers', PERSON), account.delete('customers', ID)];
    outcomes.push(...(await Promise.all(later)));
    expect(codesOf(outcomes)).toEqual(outcomes.map(() => 'STORAGE_FAILED'));
    expect(storage.commits).toHaveLength(2);
    expect([lost, logged]).toEqual([[error], ['storage_lost']]);
    expect(await stored()).toEqual(before);
    await records.writer.settled();
  });

  it('stores nothing for a create and its delete in one group, and leaves no empty account', async () => {
    const codes = await records.asOneGroup(() => [
      account.create('customers', PERSON),
      account.update('customers', ID, { name: 'Juma' }),
      account.delete('customers', ID),
      account.delete('customers', ID),
      account.update('customers', ID, { name: 'late' }),
    ]);
    expect(codes).toEqual(['ok', 'ok', 'ok', 'NOT_FOUND', 'NOT_FOUND']);
    expect(storage.commits.at(-1)?.puts).toEqual([]);
    expect(await stored()).toEqual([]);
    expect([storage.rows.size, records.set.has('neema')]).toEqual([1, false]);
    expect(records.set.owners.slice(0, 9)).toEqual(['first']);
    expect((await account.create('customers', PERSON)).ok).toBe(true);
    expect(await stored()).toMatchObject([{ id: 'CUS-0002' }]);
    expect(records.set.owners.slice(0, 9)).toEqual(['first', 'neema']);
  });

  it('fails a refused write with its group, unless the refusal depends only on the body', async () => {
    await account.create('customers', PERSON);
    storage.outcomes.push({ status: 'committed' }, { status: 'notStored', error });
    const codes = await records.asOneGroup(() => [
      account.delete('customers', ID),
      account.update('customers', ID, { name: 'x' }),
      account.create('customers', { name: '' }),
    ]);
    expect(codes).toEqual(['STORAGE_FAILED', 'STORAGE_FAILED', 'VALIDATION_FAILED']);
    expect((await account.read('customers', ID)).ok).toBe(true);
  });

  it.each([
    ['256 writes', 600, '', [256, 256, 88]],
    ['65,536 characters', 4, 'x'.repeat(30_000), [3, 1]],
  ])('closes a group at %s', async (_name, writes, note, groups) => {
    const body = { ...PERSON, note };
    await Promise.all(Array.from({ length: writes }, () => account.create('customers', body)));
    expect(storage.commits.map(({ puts }) => puts.length)).toEqual(groups);
    expect((await account.list('customers', ALL)).total).toBe(writes);
  });

  it("commits the operator's event with its change, and logs if it was not stored", async () => {
    const operated = records.account('neema', { actor: 'admin' });
    await operated.create('customers', PERSON);
    expect(storage.commits[0]?.events).toMatchObject([{ action: 'create', record_id: ID }]);
    expect(logged).toEqual([]);
    storage.outcomes.push({ status: 'committed', auditError: error });
    expect((await operated.delete('customers', ID)).ok).toBe(true);
    expect(logged).toEqual(['admin_audit_write_failed']);
    storage.outcomes.push({ status: 'notStored', error });
    await account.create('customers', PERSON);
    expect(logged).toEqual(['admin_audit_write_failed', 'storage_commit_failed']);
    // A full disk fails every write: the log, perhaps on the same disk, reports it once a minute.
    for (let write = 0; write < 3; write++) {
      storage.outcomes.push({ status: 'notStored', error });
      await account.create('customers', PERSON);
    }
    expect(logged).toHaveLength(2);
  });

  it('settles once every write is resolved, and keeps the process for one that fails after writes were refused', async () => {
    storage.hold();
    storage.outcomes.push({ status: 'unknown', error });
    let answered = 0;
    for (let i = 0; i < 3; i++) void account.create('customers', PERSON).then(() => answered++);
    await storage.begun(1);
    void account.create('customers', PERSON).then(() => answered++);
    const settled = records.writer.refuseWrites().then(() => answered);
    storage.release();
    expect(await settled).toBe(4);
    expect([lost, logged]).toEqual([[], []]);
  });
});
