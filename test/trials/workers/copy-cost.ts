// What a round of copies takes, and a restore from one: many small accounts and a
// large one, each record compared after the restore.

import { openMaintained } from '../../worker/maintained-service.js';
import { seconds } from '../figures.js';
import type { Finding, TrialOptions } from '../trial.js';

const SMALL_ACCOUNTS = 500;
const QUICK_SMALL_ACCOUNTS = 50;
const RECORDS_EACH = 4;
const LARGE = 'large';
const LARGE_RECORDS = 300;
/** Together 30 MB, which is four files. */
const NOTE = 'é'.repeat(50_000);
const TOGETHER = 8;

export async function copyCost({ quick, say }: Pick<TrialOptions, 'quick' | 'say'>) {
  const on = await openMaintained({ settings: { BACKUP_INTERVAL_HOURS: '0' } });
  try {
    const accounts = quick ? QUICK_SMALL_ACCOUNTS : SMALL_ACCOUNTS;
    say(`${accounts} small accounts and one of ${LARGE_RECORDS} records of 100 KB`);
    const owners = Array.from({ length: accounts }, (_, i) => `small-${i}`);
    await inParallel(owners, async (owner) => {
      for (let i = 0; i < RECORDS_EACH; i++) await on.create(owner, `customer ${i}`);
    });
    await inParallel(Array.from({ length: LARGE_RECORDS }), async (_, i) => {
      const body = { name: `customer ${i}`, phone: '1', note: NOTE };
      await on.as(LARGE, 'POST', '/customers', body);
    });
    const records = accounts * RECORDS_EACH + LARGE_RECORDS;
    await on.told(records);
    const began = performance.now();
    await on.copies('POST', '/copies');
    let triggers = 0;
    let round = { stage: '', copy: '' };
    while (round.stage !== 'ended') {
      await on.trigger();
      triggers++;
      ({ round } = (await on.copies('GET', '/copies')).json.data);
    }
    const took = performance.now() - began;
    const { files, ...facts } = (await on.maintain('GET', `/copies/${round.copy}`)).json.data;
    const before = await digest(on, LARGE);
    await on.maintain('DELETE', `/accounts/${LARGE}`);
    const restoring = performance.now();
    const asked = { copy: round.copy };
    const { status } = await on.maintain('POST', `/accounts/${LARGE}/restore`, asked);
    const restored = performance.now() - restoring;
    const isSame = (await digest(on, LARGE)) === before;
    const finding: Finding = {
      fault: 'a copy of every account, and a restore of one from it',
      tried: `${facts.accounts} accounts, ${facts.records} records, ${(facts.record_bytes / 1e6).toFixed(1)} MB`,
      found: `the copy took ${seconds(took)} in ${triggers} invocations and ${files.length} files; the restore of the account of ${LARGE_RECORDS} records of 100 KB took ${seconds(restored)} and was ${isSame ? 'the same' : 'NOT THE SAME'}`,
      holds: status === 200 && isSame && facts.records >= records,
    };
    return [finding];
  } finally {
    await on.close();
  }
}

type Service = Awaited<ReturnType<typeof openMaintained>>;

/** Everything that the service shows of the account's customers, with ids and order. */
async function digest(on: Service, owner: string): Promise<string> {
  let text = '';
  for (let page = 1; page <= LARGE_RECORDS / 50; page++) {
    const { json } = await on.as(owner, 'GET', `/customers?page_size=50&page=${page}`);
    text += JSON.stringify(json.data);
  }
  return text;
}

async function inParallel<T>(items: readonly T[], act: (item: T, i: number) => Promise<void>) {
  const each = Array.from({ length: TOGETHER }, async (_, first) => {
    for (let i = first; i < items.length; i += TOGETHER) await act(items[i] as T, i);
  });
  await Promise.all(each);
}
