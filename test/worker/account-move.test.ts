// What an account's object says of its contents while it changes, or while the directory
// is down. The pieces of a move are in test/move/pieces.test.ts.

import { expect, it, vi } from 'vitest';
import { NO_LIMITS } from '../../src/core/records/account-limits.js';
import type { StoredRow } from '../../src/core/records/record-storage.js';
import type { Delivery, DirectoryStub } from '../../src/hosts/workers/account-call.js';
import { AccountMove } from '../../src/hosts/workers/account-move.js';
import { Outbox } from '../../src/hosts/workers/outbox.js';
import { ContentsDigest } from '../../src/storage/move/moved-rows.js';
import { ObjectRecordStorage } from '../../src/storage/object/object-record-storage.js';
import { changes } from '../storage/storage-conformance.js';
import { keptLog } from '../support/kept-log.js';
import { openObjectStorage } from '../support/object-storage.js';

const NOW = Date.UTC(2026, 0, 14);

/** An account with one record, whose directory is up or down as the test says. */
async function openAccount() {
  const storage = openObjectStorage();
  const directory = { isDown: false };
  const apply = async ({ revision }: Delivery) => {
    if (directory.isDown) throw new Error('the directory is down');
    return { revision };
  };
  const outbox = new Outbox({
    storage,
    directory: () => ({ apply }) as Partial<DirectoryStub> as DirectoryStub,
    log: keptLog(),
    clock: () => NOW,
    random: () => 0,
  });
  const recordStorage = new ObjectRecordStorage({
    storage,
    epoch: 'first',
    follower: outbox,
  });
  outbox.expectOwner('neema');
  const move = new AccountMove({
    storage,
    recordStorage,
    outbox,
    limits: NO_LIMITS,
    account: { empty: async () => {}, reload: async () => {} },
  });
  async function commit(position: number) {
    const row: StoredRow = { position, collection: 'customers', id: `C-${position}`, body: '{}' };
    await recordStorage.commit(changes({ puts: [row], at: NOW }));
  }
  await commit(1);
  return { move, commit, directory };
}

it('The state of an account is given once the directory has every change', async () => {
  const { move, directory } = await openAccount();
  directory.isDown = true;
  expect(await move.state()).toEqual({
    ok: false,
    status: 503,
    message: expect.stringContaining('the directory has not taken every change'),
  });
  directory.isDown = false;
  const digest = new ContentsDigest();
  await digest.add(['customers', 'C-1', '{}', NOW, NOW]);
  expect(await move.state()).toEqual({
    ok: true,
    value: { ...(await digest.contents()), state: 'whole', sequences: {}, revision: 1, taken: 0 },
  });
});

it('The state of an account is not given if the account is written to while it is read', async () => {
  const { move, commit } = await openAccount();
  expect(await move.state()).toMatchObject({ ok: true });
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  vi.spyOn(crypto.subtle, 'digest').mockImplementationOnce(async (...given) => {
    await commit(2);
    return digest(...given);
  });
  expect(await move.state()).toEqual({
    ok: false,
    status: 503,
    message: 'the account was written to meanwhile; ask again',
  });
  expect(await move.state()).toMatchObject({ ok: true, value: { records: 2, revision: 2 } });
});
