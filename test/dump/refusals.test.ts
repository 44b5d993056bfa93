// Loads and dumps that are refused: each with one sentence, and nothing changes.

import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { addToLedger } from '../../src/storage/erasures/ledger.js';
import { Connection } from '../../src/storage/file/connection.js';
import { ADMIN_KEY } from '../support/contract.js';
import { newDatabaseName, sharedPostgres } from '../support/postgres.js';
import { startServer } from '../support/server-process.js';
import { testFolder } from '../support/test-folder.js';
import { contentsOf, makeShopFile, runSuccessfully, runWithKey } from './shop-file.js';

const { at } = testFolder(beforeAll);
let whole: string;

beforeAll(async () => {
  await makeShopFile(at('shop.db'), { accounts: ['amina', 'neema'], records: 300, events: 30 });
  await runSuccessfully(['dump', '--from', at('shop.db'), '--to', at('shop.ndjson')]);
  whole = await readFile(at('shop.ndjson'), 'utf8');
});

describe('A load', () => {
  it.each([
    ['empty', () => ''],
    ['cut behind a line', () => whole.slice(0, whole.lastIndexOf('\n{') + 1)],
    ['one record short', () => whole.replace(/\n\{"collection"[^\n]*/, '')],
    ['changed by a character', () => whole.replace('Neema 7 ', 'Neema 8 ')],
    ['of another program', () => '{"manifest":1}\n'],
    ['of a later version', () => whole.replace('"version":1', '"version":2')],
  ])('refuses a dump that is %s, and leaves nothing', async (_, text) => {
    await writeFile(at('given.ndjson'), text());
    const refused = await runWithKey(['load', at('given.ndjson'), '--to', at('target.db')]);
    const sentence =
      /^\S+ (is truncated or modified .*; nothing was loaded|is not a dump of version 1)/;
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect(existsSync(at('target.db'))).toBe(false);
  });

  it('names the erased accounts whose records it brings back', async () => {
    const erased = '2026-06-01T00:00:00.000Z';
    addToLedger(at('ledger.ndjson'), { subject: 'amina', erased });
    addToLedger(at('ledger.ndjson'), { subject: 'neema', erased: '2025-01-01T00:00:00.000Z' });
    const ledger = { ERASURE_LEDGER: at('ledger.ndjson') };
    const printed = await runSuccessfully(
      ['load', at('shop.ndjson'), '--to', at('back.db')],
      ledger,
    );
    expect(printed).toContain(
      `came back:\n\namina  erased on ${erased}\n\nErase each of them again.`,
    );
    expect(printed).not.toContain('neema');
  });

  it('accepts an empty file, as a killed load leaves it, and no other', async () => {
    await writeFile(at('empty.db'), '');
    const words = ['load', at('shop.ndjson'), '--to', at('empty.db')];
    await runSuccessfully(words);
    expect((await contentsOf(at('empty.db'))).records).toHaveLength(300);
    const again = await runWithKey(words);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already has tables')]);
  });

  it('creates no database next to the log of another one, which SQLite would replay', async () => {
    await writeFile(at('lost.db-wal'), 'the log');
    const { code, stderr } = await runWithKey(['load', at('shop.ndjson'), '--to', at('lost.db')]);
    expect([code, stderr]).toEqual([1, `${at('lost.db-wal')} already exists; name a new file\n`]);
    expect(existsSync(at('lost.db'))).toBe(false);
  });

  it('refuses a Postgres database that has records', async () => {
    const [server, name] = [await sharedPostgres(), newDatabaseName()];
    const postgres = { DATABASE_URL: await server.make(name) };
    await runSuccessfully(['load', at('shop.ndjson')], postgres);
    const again = await runWithKey(['load', at('shop.ndjson')], postgres);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('records already')]);
    const [count] = await server.sql(name, 'select count(*)::int as records from records');
    expect(count).toEqual({ records: 300 });
  });

  it('accepts no Postgres password on the command line', async () => {
    const { code, stderr } = await runWithKey([
      'load',
      at('shop.ndjson'),
      '--to',
      'postgres://a:b@c',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('set DATABASE_URL instead')]);
  });
});

const dump = (from: string, to: string) => runWithKey(['dump', '--from', from, '--to', at(to)]);

describe('A dump', () => {
  it('does not overwrite a file', async () => {
    await writeFile(at('taken.ndjson'), 'mine');
    const { code, stderr } = await dump(at('shop.db'), 'taken.ndjson');
    expect([code, stderr]).toEqual([1, `${at('taken.ndjson')} already exists; name a new file\n`]);
    expect(await readFile(at('taken.ndjson'), 'utf8')).toBe('mine');
  });

  it('fails if the database file does not exist', async () => {
    const { code, stderr } = await dump(at('none.db'), 'not.ndjson');
    expect([code, stderr]).toEqual([1, expect.stringContaining('no such file or folder')]);
  });

  // All files that are refused: storage/file/refused-files.
  it('of a file with a bad record fails, and leaves nothing', async () => {
    await copyFile(at('shop.db'), at('bad.db'));
    const connection = new Connection(at('bad.db'));
    connection.value("update records set body = '[]' where position = 1");
    connection.close();
    const { code, stderr } = await dump(at('bad.db'), 'not.ndjson');
    expect([code, stderr]).toEqual([1, expect.stringContaining('not a JSON')]);
    expect(existsSync(at('not.ndjson'))).toBe(false);
  });

  it('of a running service reads its memory, because no other process can read its file', async () => {
    await copyFile(at('shop.db'), at('live.db'));
    const server = await startServer({
      DATABASE_URL: `file:${at('live.db')}`,
      ADMIN_API_KEY: ADMIN_KEY,
    });
    try {
      const held = await dump(at('live.db'), 'live.ndjson');
      expect(held.stderr).toContain('dump it with --from and its address');
      const printed = await runSuccessfully([
        'dump',
        '--from',
        server.origin,
        '--to',
        at('live.ndjson'),
      ]);
      expect(printed).toContain('300 records and 30 audit events');
    } finally {
      await server.stop();
    }
    await runSuccessfully(['load', at('live.ndjson'), '--to', at('live-copy.db')]);
    const textsOf = async (name: string) => {
      const { records, events } = await contentsOf(at(name));
      // The API returns records by collection, and JSON with a different spelling.
      const texts = records.map(([, , body]) => JSON.stringify(JSON.parse(String(body))));
      return [texts.sort(), events.map((event) => JSON.parse(event))];
    };
    expect(await textsOf('live-copy.db')).toEqual(await textsOf('shop.db'));
  });
});
