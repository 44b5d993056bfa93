// Data in and out of the built Worker: the same commands as for one process.

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/contract.js';
import { dataServiceAt } from '../support/data-service.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';
import { startMiniflare, workerOptions } from '../support/worker-host.js';

const ROWS = 260;
const TIMEOUT_MS = 120_000;

it(
  'Import, export, the way back and erase work against Workers',
  async () => {
    const folder = await openTemporaryFolder();
    const miniflare = await startMiniflare([
      await workerOptions(folder.path, { ADMIN_API_KEY: ADMIN_KEY }),
    ]);
    const { origin } = await miniflare.ready;
    const on = dataServiceAt(`${origin}/api/v1`, folder.path, async () => {
      await miniflare.dispose();
      await folder.remove();
    });
    try {
      const rows = Array.from({ length: ROWS }, (_, i) => `Mteja ${i % 200};+2557${i % 200}`);
      const file = await on.file('wateja.csv', `Jina;Simu\n${rows.join('\n')}\n`);
      const words = [
        '--account',
        'auth0|duka',
        '--into',
        'customers',
        '--map',
        'Jina=name,Simu=phone',
      ];
      const run = await on.run(['import', file, ...words]);
      expect([run.code, run.stdout]).toEqual([
        0,
        expect.stringContaining(`${ROWS} records created`),
      ]);
      const before = await on.contents('auth0|duka', 'customers');
      expect(before).toHaveLength(ROWS);
      expect((await on.run(['import', file, ...words])).stderr).toContain(
        `${ROWS} of ${ROWS} rows`,
      );

      const out = on.at('out');
      expect((await on.run(['export', '--account', 'auth0|duka', '--to', out])).code).toBe(0);
      const lines = (await readFile(`${out}/customers.ndjson`, 'utf8')).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line).name)).toEqual(before.map(({ name }) => name));

      const gone = on.at('gone');
      const erase = ['erase', '--account', 'auth0|duka', '--confirm', 'auth0|duka'];
      const erased = await on.run([...erase, '--export-first', gone], {
        ERASURE_LEDGER: on.at('erased.ndjson'),
      });
      expect([erased.code, erased.stdout]).toEqual([
        0,
        expect.stringContaining('nothing is left in any view'),
      ]);
      expect(await on.contents('auth0|duka', 'customers')).toEqual([]);

      const back = await on.run(['import', gone, '--account', 'auth0|duka', '--in-order']);
      expect(back.code).toBe(0);
      expect(await on.contents('auth0|duka', 'customers')).toEqual(before);
    } finally {
      await on.close();
    }
  },
  TIMEOUT_MS,
);
