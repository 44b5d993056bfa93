// Two openings of one place. Both would give out the same ids and positions, and each would
// overwrite what the other acknowledged. So a second opening is refused, or from then on the
// first one stores nothing: its commits are `unknown`.

import type { RecordStorage } from '../../core/records/record-storage.js';
import type { Bench, CheckedStorage, Step } from './check.js';
import { expectSame } from './expectations.js';
import { changes, commits, loaded, row, rows } from './sample-changes.js';

const BY_THE_SECOND = row(2, '{"id":"CUS-0002","by":"the second"}');

export const FENCING: Readonly<Record<string, Step<CheckedStorage>>> = {
  'refuses a second opening, or fences the first one with it': async (bench) => {
    const second = await secondOpening(bench);
    if (second === undefined) return;
    try {
      await expectFenced(bench.storage);
      expectSame('rows of the second opening', await loaded(second), rows(1));
      await commits(second, { puts: [BY_THE_SECOND] });
    } finally {
      await second.close();
    }
    await bench.reopen();
    expectSame('rows', await loaded(bench.storage), [row(1), BY_THE_SECOND]);
  },

  'keeps what a second opening committed, also from the first one once the second is closed':
    async (bench) => {
      const second = await secondOpening(bench);
      if (second === undefined) return;
      await commits(second, { puts: [BY_THE_SECOND] });
      await second.close();
      await expectFenced(bench.storage);
      await bench.reopen();
      expectSame('rows', await loaded(bench.storage), [row(1), BY_THE_SECOND]);
    },
};

/** Undefined if the second opening was refused, and the first one continued as before. */
async function secondOpening(bench: Bench<CheckedStorage>): Promise<CheckedStorage | undefined> {
  await commits(bench.storage, { puts: [row(1)] });
  const second = await bench.home.open().catch(() => undefined);
  if (second !== undefined) return second;
  await commits(bench.storage, { puts: [row(2)] });
  await bench.nowAndAfterReopening(async () =>
    expectSame('rows', await loaded(bench.storage), rows(2)),
  );
  return undefined;
}

async function expectFenced(first: RecordStorage): Promise<void> {
  const { status } = await first.commit(changes({ puts: [row(2), row(3)] }));
  expectSame('the outcome of a commit by the first opening', status, 'unknown');
}
