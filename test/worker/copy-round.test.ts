// A round of copies over the real objects and a real bucket: in many small invocations,
// in ones that break off, in two at a time, and with accounts that give no answer.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import type { AccountStub, DirectoryStub } from '../../src/hosts/workers/account-call.js';
import {
  type CopiesEnvironment,
  keyOf,
  type Round,
} from '../../src/hosts/workers/copies/copy-format.js';
import { CopyStep, newRound } from '../../src/hosts/workers/copies/copy-round.js';
import { RoundState } from '../../src/hosts/workers/copies/round-state.js';
import { StoredCopies } from '../../src/hosts/workers/copies/stored-copies.js';
import type { EventPlace } from '../../src/storage/move/move-messages.js';
import { keptLog } from '../support/kept-log.js';
import { type MaintainedService, openMaintained } from './maintained-service.js';

type Bucket = NonNullable<CopiesEnvironment['COPIES']>;

const ACCOUNTS = Array.from({ length: 7 }, (_, i) => `account-${i}`);
const RECORDS_EACH = 2;
const INVOCATIONS_MAX = 60;

describe('A round', () => {
  let on: MaintainedService;
  let bucket: Bucket;
  let directory: () => DirectoryStub;
  let account: (owner: string) => AccountStub;
  let time = Date.parse('2026-01-01T00:00:00Z');

  beforeAll(async () => {
    on = await openMaintained();
    bucket = (await on.miniflare.getR2Bucket('COPIES', 'copies')) as unknown as Bucket;
    const accounts = await on.miniflare.getDurableObjectNamespace('ACCOUNTS');
    const directories = await on.miniflare.getDurableObjectNamespace('DIRECTORY');
    account = (owner) => accounts.get(accounts.idFromName(owner)) as unknown as AccountStub;
    directory = () =>
      directories.get(directories.idFromName('directory')) as unknown as DirectoryStub;
    for (const owner of ACCOUNTS) {
      // By the operator, so that the directory knows it at once.
      for (let i = 0; i < RECORDS_EACH; i++) {
        const body = { name: `${owner} ${i}`, phone: '1' };
        await on.operate('POST', `/admin/accounts/${owner}/customers`, body);
      }
    }
    await on.operate('GET', '/admin/overview');
  });
  afterAll(() => on.close());

  const log = keptLog();
  const options = (given: object = {}) => {
    return { bucket, directory, account, log, clock: () => time, callsMax: 3, ...given };
  };

  async function begin(): Promise<Round> {
    time += 86_400_000;
    const state = await RoundState.read(bucket);
    const round = newRound(time);
    await state.store(round);
    return round;
  }

  async function step(given: object = {}): Promise<Round> {
    const state = await RoundState.read(bucket);
    if (state.round === undefined) throw new Error('no round has begun');
    return new CopyStep(options(given), state, state.round).run();
  }

  /** Resolves with how many invocations it took. */
  async function untilEnd(given: object = {}): Promise<number> {
    for (let invocations = 1; invocations < INVOCATIONS_MAX; invocations++) {
      if ((await step(given)).stage === 'ended') return invocations;
    }
    throw new Error('the round does not end');
  }

  /** The copy is whole, and each account is in it once, with its records. */
  async function expectWhole({ copy }: Round): Promise<void> {
    const storedCopies = new StoredCopies(bucket);
    const manifest = await storedCopies.manifest(copy);
    if (manifest === undefined) throw new Error('the copy is not whole');
    expect(manifest).toMatchObject({
      accounts: ACCOUNTS.length + 1,
      records: ACCOUNTS.length * RECORDS_EACH + SAMPLE_COUNT,
      audit_events: ACCOUNTS.length * RECORDS_EACH,
      missing: [],
    });
    const indexes = manifest.files.filter(({ content }) => content === 'index');
    expect(indexes.reduce((sum, { records }) => sum + records, 0)).toBe(ACCOUNTS.length + 1);
    for (const owner of ACCOUNTS) {
      const found = await storedCopies.find(manifest, owner);
      expect(found).toMatchObject({ account: owner, records: RECORDS_EACH });
      const [stretch] = found?.stretches ?? [];
      const { file = '', offset = 0, bytes: length = 0 } = stretch ?? {};
      const stored = await bucket.get(keyOf(copy, file), { range: { offset, length } });
      const lines = (await stored?.text())?.trim().split('\n') ?? [];
      const names = lines.map((line) => JSON.parse(line).record.name);
      expect(names).toEqual([`${owner} 0`, `${owner} 1`]);
    }
  }

  it('ends after several invocations, each of which does a bounded amount of work', async () => {
    const round = await begin();
    const invocations = await untilEnd();
    expect(invocations).toBeGreaterThan(3);
    await expectWhole(round);
  });

  it('goes on after an invocation that broke off at any call of the bucket', async () => {
    const round = await begin();
    let broken = 0;
    for (let puts = 1; puts < INVOCATIONS_MAX; puts++) {
      let left = puts % 4;
      const put: Bucket['put'] = (...given: Parameters<Bucket['put']>) => {
        if (left-- === 0) throw new Error('the invocation ends here');
        return bucket.put(...given);
      };
      const breaking = new Proxy(bucket, {
        get: (target, name) => (name === 'put' ? put : Reflect.get(target, name)),
      });
      try {
        if ((await step({ bucket: breaking })).stage === 'ended') break;
      } catch (error) {
        // The state is stored through the real bucket: what breaks is a file.
        expect(error).toMatchObject({ message: 'the invocation ends here' });
        broken++;
      }
    }
    expect(broken).toBeGreaterThan(3);
    await untilEnd().catch(() => {});
    await expectWhole(round);
  });

  it('is gone on with by one of two invocations at the same time', async () => {
    const round = await begin();
    for (let i = 0; i < INVOCATIONS_MAX; i++) {
      const ends = await Promise.allSettled([step(), step()]);
      const failed = ends.filter(({ status }) => status === 'rejected');
      expect(failed).toHaveLength(1);
      expect(String((failed[0] as PromiseRejectedResult).reason)).toContain('another invocation');
      const { round: stored } = await RoundState.read(bucket);
      if (stored?.stage === 'ended') break;
    }
    await expectWhole(round);
  });

  it('ends an invocation after four minutes, whatever is left', async () => {
    const round = await begin();
    // The clock is read once at the start, and once before each account.
    const moments = [0, 0, 0, 239_999, 240_000];
    const clock = () => time + (moments.shift() ?? 240_000);
    const { stage, after } = await step({ clock, callsMax: 1_000 });
    expect([stage, after]).toEqual(['accounts', 'account-1']);
    await untilEnd();
    await expectWhole(round);
  });

  it('asks an account again that gave no answer, and is whole once it has answered', async () => {
    let refusals = 2;
    const failing = (owner: string) => {
      if (owner !== 'account-3' || refusals-- <= 0) return account(owner);
      return { leavingPiece: () => Promise.reject(new Error('no answer')) };
    };
    const round = await begin();
    await untilEnd({ account: failing });
    await expectWhole(round);
  });

  it('is not listed as whole where an account never answers, and the log says so', async () => {
    let asked = 0;
    const leavingPiece = () => Promise.reject(new Error(`no answer ${++asked}`));
    const failing = (owner: string) => (owner === 'account-3' ? { leavingPiece } : account(owner));
    const { copy } = await begin();
    const told = keptLog();
    await untilEnd({ account: failing, log: told });
    // In the first invocation and in three later ones.
    expect(told.lines).toEqual([
      ...[1, 2, 3, 4].map((time) => ({
        level: 'error',
        event: 'account_copy_failed',
        fields: { owner_sub: 'account-3', error: `Error: no answer ${time}` },
      })),
      {
        level: 'error',
        event: 'copy_incomplete',
        fields: { copy, missing: 1, error: 'Error: accounts gave no answer' },
      },
    ]);
    const storedCopies = new StoredCopies(bucket);
    expect(await storedCopies.manifest(copy)).toBeUndefined();
    expect((await storedCopies.whole()).map((manifest) => manifest.copy)).not.toContain(copy);
    const incomplete = await bucket.get(keyOf(copy, 'incomplete.json'));
    expect(JSON.parse((await incomplete?.text()) ?? '')).toMatchObject({ missing: ['account-3'] });
  });

  it('stops where more than 1,000 accounts give no answer, and stores nothing of that', async () => {
    const known = (count: number) => ({
      knownAccounts: async () => {
        const accounts = Array.from({ length: count }, (_, i) => ({ owner: `x-${i}` }));
        return { accounts, isLast: true };
      },
    });
    const failing = () => ({ leavingPiece: () => Promise.reject(new Error('no answer')) });
    const round = await begin();
    const given = { account: failing, callsMax: 10_000 };
    const refused = step({ ...given, directory: () => known(1_001) });
    await expect(refused).rejects.toThrow('too many accounts fail');
    expect((await RoundState.read(bucket)).round).toEqual(round);
    const allowed = await step({ ...given, directory: () => known(1_000) });
    expect([allowed.stage, allowed.failed.length]).toEqual(['again', 1_000]);
  });

  it('writes an audit log of many events into several files, and goes on after each', async () => {
    const pieces = 5;
    const event = JSON.stringify({ changed: ['x'.repeat(3_000_000)] });
    const asked: unknown[] = [];
    const eventsAfter = async (place: EventPlace) => {
      asked.push(place.id);
      const last = { timestamp: 't', id: place.id + 1 };
      return { events: [event], names: [null], last, isLast: last.id === pieces };
    };
    const { copy } = await begin();
    const real = directory();
    const given = {
      directory: () => ({
        knownAccounts: (after: string) => real.knownAccounts(after),
        eventsAfter,
      }),
    };
    await untilEnd({ ...given, callsMax: 6 });
    expect(asked).toEqual([0, 1, 2, 3, 4]);
    const manifest = await new StoredCopies(bucket).manifest(copy);
    const files = manifest?.files.filter(({ content }) => content === 'audit') ?? [];
    expect(files.reduce((sum, { records }) => sum + records, 0)).toBe(pieces);
    expect(files.length).toBeGreaterThan(1);
    for (const { bytes } of files) expect(bytes).toBeLessThan(12_000_000);
    expect(manifest?.audit_events).toBe(pieces);
  });

  it('leaves as many whole copies as are kept, and nothing of older ones', async () => {
    const newest = await begin();
    await untilEnd();
    const storedCopies = new StoredCopies(bucket);
    const before = await storedCopies.whole();
    expect(before.length).toBeGreaterThan(2);
    await storedCopies.removeOld(2);
    const kept = (await storedCopies.whole()).map(({ copy }) => copy);
    expect(kept).toEqual(before.slice(0, 2).map(({ copy }) => copy));
    expect(kept[0]).toBe(newest.copy);
    const { objects } = await bucket.list({ prefix: 'copies/' });
    const names = new Set(objects.map(({ key }) => key.split('/')[1]));
    expect([...names].sort()).toEqual([...kept].sort());
  });
});
