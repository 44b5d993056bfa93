// The restores that the directory remembers: how long it asks the accounts, and which
// restore of an account is the one that counts.

import { expect, it } from 'vitest';
import type { Restore, RestoreState } from '../../src/hosts/workers/account-call.js';
import { DirectoryRestores } from '../../src/hosts/workers/directory-restores.js';
import { SCHEMA_STEPS } from '../../src/hosts/workers/directory-schema.js';
import { migrate } from '../../src/storage/object/schema-version.js';
import { keptLog } from '../support/kept-log.js';
import { openObjectStorage } from '../support/object-storage.js';

const NOW = Date.UTC(2026, 0, 14);

/** A directory, and accounts that answer with these states, one after the other; then they fail. */
function openDirectory(...states: RestoreState[]) {
  const storage = openObjectStorage();
  storage.transactionSync(() => migrate(storage, SCHEMA_STEPS, 0));
  const log = keptLog();
  const asked: Restore[] = [];
  const restores = new DirectoryRestores({
    storage,
    account: () => ({
      async followRestore(restore) {
        asked.push(restore);
        const state = states.shift();
        if (state === undefined) throw new Error('no answer');
        return state;
      },
    }),
    log,
    clock: () => NOW,
  });
  return { restores, asked, log, alarms: storage.alarms };
}

function restoreOf(owner: string, id = 'first'): Restore {
  return { id, owner, point: { time: NOW }, at: NOW };
}

it('The directory asks a restored account after 5 s, then every 30 s until it has followed', async () => {
  const { restores, asked, alarms } = openDirectory('restarting', 'untold', 'followed');
  await restores.expect(restoreOf('neema'));
  for (let i = 0; i < 4; i++) await restores.onAlarm();
  expect(asked).toEqual(Array(3).fill(restoreOf('neema')));
  expect(alarms).toEqual([NOW + 5_000, NOW + 30_000, NOW + 30_000]);
});

it('The directory forgets a restore if the account did not go back', async () => {
  const { restores, asked, alarms } = openDirectory('none');
  await restores.expect(restoreOf('neema'));
  for (let i = 0; i < 2; i++) await restores.onAlarm();
  expect([asked.length, alarms.length]).toEqual([1, 1]);
});

it('The directory keeps the restore of an account that gives no answer, and the log names the account', async () => {
  const { restores, log, alarms } = openDirectory();
  await restores.expect(restoreOf('neema'));
  await restores.onAlarm();
  expect(alarms).toHaveLength(2);
  expect(log.lines).toEqual([
    {
      level: 'error',
      event: 'account_restore_unfollowed',
      fields: { owner_sub: 'neema', error: 'Error: no answer' },
    },
  ]);
});

it('The directory keeps the latest restore of an account, also when an earlier one ends', async () => {
  const { restores, asked } = openDirectory('followed', 'followed');
  await restores.expect(restoreOf('neema'));
  await restores.expect(restoreOf('neema', 'second'));
  await restores.expect(restoreOf('juma'));
  restores.drop(restoreOf('neema'));
  restores.drop(restoreOf('juma', 'second'));
  await restores.onAlarm();
  expect(asked.map(({ owner, id }) => [owner, id])).toEqual([
    ['juma', 'first'],
    ['neema', 'second'],
  ]);
});
