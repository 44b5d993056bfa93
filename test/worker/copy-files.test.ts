// The files of a copy in a real bucket: an account of several pieces and files comes
// back as it was, and what one account leaves behind is in no other account.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyAccount, NoAnswer } from '../../src/hosts/workers/copies/copied-account.js';
import { copiedEvents, copiedRows } from '../../src/hosts/workers/copies/copied-rows.js';
import {
  type IndexedAccount,
  keyOf,
  lineOfEvent,
  MANIFEST,
  manifestOf,
} from '../../src/hosts/workers/copies/copy-format.js';
import { newRound } from '../../src/hosts/workers/copies/copy-round.js';
import { CopyWriter } from '../../src/hosts/workers/copies/copy-writer.js';
import { RoundState } from '../../src/hosts/workers/copies/round-state.js';
import { StoredCopies } from '../../src/hosts/workers/copies/stored-copies.js';
import type { LeavingPiece, MoveReply } from '../../src/storage/move/move-messages.js';
import { ContentsDigest, type MovedRow } from '../../src/storage/move/moved-rows.js';
import { customersOf } from '../support/arriving-account.js';
import { type Bucket, type OpenBucket, openBucket } from './open-bucket.js';

type Answer = MoveReply<LeavingPiece>;

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

let opened: OpenBucket;
let bucket: Bucket;
let now = START;

beforeAll(async () => {
  opened = await openBucket();
  bucket = opened.bucket;
});
afterAll(() => opened.close());

async function openCopy() {
  now += DAY_MS;
  const state = await RoundState.read(bucket);
  const writer = new CopyWriter(bucket, state, newRound(now));
  const storedCopies = new StoredCopies(bucket);
  return {
    writer,
    copy: writer.round.copy,
    storedCopies,
    async finish() {
      await writer.store();
      const manifest = manifestOf(writer.round, now);
      await bucket.put(keyOf(writer.round.copy, MANIFEST), JSON.stringify(manifest));
      return manifest;
    },
    async rowsOf(account: IndexedAccount) {
      const rows = [];
      for await (const piece of copiedRows(storedCopies, writer.round.copy, account))
        rows.push(...piece);
      return rows;
    },
  };
}

/** An account whose object gives these pieces. `asked`: the places after which it was asked. */
function accountOf(pieces: readonly (readonly MovedRow[])[], revisionAt = (_: number) => 7) {
  const asked: number[] = [];
  let given = 0;
  const stub = () => ({
    async leavingPiece(_: string, after: number): Promise<Answer> {
      asked.push(after);
      const at = given++;
      const rows = pieces[at];
      if (rows === undefined) throw new Error('no answer');
      const last = (at + 1) * 1_000;
      const isLast = at === pieces.length - 1;
      const value = { rows, last, isLast, revision: revisionAt(at), sequences: { customers: 9 } };
      return { ok: true, value };
    },
  });
  return { stub, asked };
}

async function contentsOf(rows: readonly MovedRow[]) {
  const digest = new ContentsDigest();
  for (const row of rows) await digest.add(row);
  return digest.contents();
}

describe('An account in a copy', () => {
  it('of several pieces lies in several files, and comes back as it was', async () => {
    const { writer, copy, storedCopies, finish, rowsOf } = await openCopy();
    // Two bytes a character: the second file begins in the third piece.
    const rows = customersOf('neema', 6).map(([name, id, , ...times], i): MovedRow => {
      return [name, id, JSON.stringify({ i, note: 'é'.repeat(900_000) }), ...times];
    });
    const { stub, asked } = accountOf([rows.slice(0, 2), rows.slice(2, 4), rows.slice(4)]);
    writer.index(await copyAccount('juma', accountOf([customersOf('juma', 3)]).stub, writer));
    writer.index(await copyAccount('neema', stub, writer));
    expect(asked).toEqual([0, 1_000, 2_000]);
    const manifest = await finish();

    const found = await storedCopies.find(manifest, 'neema');
    if (found === undefined) throw new Error('the account is not in the copy');
    expect(found).toMatchObject({
      account: 'neema',
      ...(await contentsOf(rows)),
      sequences: { customers: 9 },
      changed_meanwhile: false,
    });
    expect(await rowsOf(found)).toEqual(rows);
    expect(manifest.files.map(({ content, records }) => [content, records])).toEqual([
      ['accounts', 3 + 5],
      ['index', 1],
      ['accounts', 1],
      ['index', 1],
    ]);
    for (const file of manifest.files) {
      const stored = await bucket.get(keyOf(copy, file.name));
      const bytes = new Uint8Array((await stored?.arrayBuffer()) ?? []);
      expect(file.bytes).toBe(bytes.length);
      expect(file.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
    expect(manifest.files.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^accounts-00001-[0-9a-f]{8}\.ndjson$/),
      expect.stringMatching(/^index-00001-[0-9a-f]{8}\.ndjson$/),
      expect.stringMatching(/^accounts-00002-[0-9a-f]{8}\.ndjson$/),
      expect.stringMatching(/^index-00002-[0-9a-f]{8}\.ndjson$/),
    ]);
  });

  it('that was written to between two pieces is marked', async () => {
    const { writer } = await openCopy();
    const pieces = customersOf('neema', 2).map((row) => [row]);
    const { stub } = accountOf(pieces, (at) => at + 1);
    expect(await copyAccount('neema', stub, writer)).toMatchObject({ changed_meanwhile: true });
  });

  it('has nothing of an account before it that failed half-way', async () => {
    const { writer, finish, rowsOf } = await openCopy();
    const failing = accountOf([customersOf('juma', 2), customersOf('juma', 2)]);
    const broken = () => {
      if (failing.asked.length === 1) throw new Error('the object was lost');
      return failing.stub();
    };
    const failure = copyAccount('juma', broken, writer);
    await expect(failure).rejects.toThrow(NoAnswer);
    await expect(failure).rejects.toMatchObject({ cause: new Error('the object was lost') });
    const rows = customersOf('neema', 3);
    const copied = await copyAccount('neema', accountOf([rows]).stub, writer);
    await finish();
    expect(copied.stretches).toHaveLength(1);
    expect(await rowsOf(copied)).toEqual(rows);
  });

  it('gives no answer where its object refuses, and the reason is kept', async () => {
    const { writer } = await openCopy();
    const refusal: Answer = { ok: false, status: 409, message: 'the account is being moved in' };
    const stub = () => ({ leavingPiece: async () => refusal });
    await expect(copyAccount('neema', stub, writer)).rejects.toMatchObject({
      cause: new Error('409: the account is being moved in'),
    });
  });

  it('without records has no stretch, and comes back empty', async () => {
    const { writer, finish, rowsOf } = await openCopy();
    const copied = await copyAccount('neema', accountOf([[]]).stub, writer);
    writer.index(copied);
    await finish();
    expect(copied).toMatchObject({ records: 0, bytes: 0, stretches: [] });
    expect(await rowsOf(copied)).toEqual([]);
  });

  it('is found in the one index that may hold it', async () => {
    const { writer, storedCopies, finish } = await openCopy();
    for (const owners of [['c', 'b', 'd'], ['e'], ['f', 'h']]) {
      for (const owner of owners) {
        writer.index(await copyAccount(owner, accountOf([customersOf(owner, 1)]).stub, writer));
      }
      await writer.store();
    }
    const manifest = await finish();
    for (const owner of ['b', 'c', 'd', 'e', 'f', 'h']) {
      expect(await storedCopies.find(manifest, owner)).toMatchObject({ account: owner });
    }
    for (const owner of ['a', 'g', 'i'])
      expect(await storedCopies.find(manifest, owner)).toBeUndefined();
    // No file but the index that may hold it is read.
    const others = manifest.files.filter(
      ({ content, first }) => content !== 'index' || first !== 'e',
    );
    await bucket.delete(others.map(({ name }) => keyOf(manifest.copy, name)));
    expect(await storedCopies.find(manifest, 'e')).toMatchObject({ account: 'e' });
    for (const owner of ['a', 'i'])
      expect(await storedCopies.find(manifest, owner)).toBeUndefined();
    await expect(storedCopies.find(manifest, 'b')).rejects.toThrow(
      /the file index-\S+ .* is missing/,
    );
  });
});

describe('The audit events in a copy', () => {
  it('come back with their names for the account that they belong to, from every file', async () => {
    const { writer, storedCopies, finish } = await openCopy();
    writer.change({ stage: 'audit' });
    const events = [1, 2, 3, 4].map((number) => {
      const owner = number === 2 ? 'juma' : 'neema';
      return { owner, epoch: 'e', number, event: `{"number":${number}}` };
    });
    for (const { owner, epoch, number, event } of events) {
      writer.add(lineOfEvent({ name: JSON.stringify([owner, epoch, number]), event }));
      // Of an early release: it has no name.
      writer.add(lineOfEvent({ name: null, event: '{}' }));
      if (number === 3) await writer.store();
    }
    const manifest = await finish();
    const pieces = [];
    for await (const piece of copiedEvents(storedCopies, manifest, 'neema')) pieces.push(piece);
    expect(pieces).toEqual([events.filter(({ owner }) => owner === 'neema')]);
  });
});
