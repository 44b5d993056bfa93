// Data in and out of the built Worker: the same commands as for one process.

import { expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/contract.js';
import { dataServiceAt } from '../support/data-service.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { startMiniflare, workerOptions } from '../support/worker-host.js';

const ROWS = 260;
const ACCOUNT = ['--account', 'auth0|duka'];

it('Import, export, erase and the way back work against Workers', async () => {
  const folder = await openTemporaryFolder();
  const options = await workerOptions(folder.path, { ADMIN_API_KEY: ADMIN_KEY });
  const miniflare = await startMiniflare([options]);
  const { origin } = await miniflare.ready;
  const on = dataServiceAt(`${origin}/api/v1`, folder.path, async () => {
    await miniflare.dispose();
    await folder.remove();
  });
  const run = async (...words: string[]) => {
    const ERASURE_LEDGER = on.at('erased.ndjson');
    const { code, stdout, stderr } = await on.run(words, { ERASURE_LEDGER });
    return [code, stdout + stderr];
  };
  const contents = () => on.contents('auth0|duka', 'customers');
  try {
    const rows = Array.from({ length: ROWS }, (_, i) => `Mteja ${i % 200};+2557${i % 200}`);
    const file = await on.file('wateja.csv', `Jina;Simu\n${rows.join('\n')}\n`);
    const load = [
      'import',
      file,
      ...ACCOUNT,
      '--into',
      'customers',
      '--map',
      'Jina=name,Simu=phone',
    ];
    expect(await run(...load)).toEqual([0, expect.stringContaining(`${ROWS} records created`)]);
    const before = await contents();
    expect(before).toHaveLength(ROWS);
    const again = await run(...load);
    expect(again).toEqual([expect.anything(), expect.stringContaining(`${ROWS} of ${ROWS} rows`)]);
    const gone = on.at('gone');
    const erase = ['erase', ...ACCOUNT, '--confirm', 'auth0|duka', '--export-first', gone];
    const left = expect.stringContaining('nothing is left');
    expect(await run(...erase)).toEqual([0, left]);
    expect(await contents()).toEqual([]);
    expect((await run('import', gone, ...ACCOUNT, '--in-order'))[0]).toBe(0);
    expect(await contents()).toEqual(before);
  } finally {
    await on.close();
  }
}, 120_000);
