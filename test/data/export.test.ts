// `export`: everything of an account in a folder, without loss as NDJSON, fit
// for spreadsheets as CSV; and the way back.

import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import type { JsonObject } from '../../src/core/domain/json.js';
import { type DataService, openDataService } from '../support/data-service.js';
import { openMeddlingProxy } from '../support/meddling-proxy.js';
import { steps } from '../trials/model/commands.js';

// Each test runs processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

/** An account with more records than two pages. */
const MANY = 'many';
const MANY_COUNT = 450;

let on: DataService;
let serial = 0;

beforeAll(async () => {
  on = await openDataService();
  await fill(MANY, MANY_COUNT);
});
afterAll(() => on.close());

async function create(account: string, collection: CollectionName, body: JsonObject) {
  const records = on.client.recordsOf(account)[collection];
  return records.create(body as never);
}

/** Many at once: their order is not known. */
async function fill(account: string, count: number): Promise<void> {
  let next = 0;
  const connection = async () => {
    while (next < count) await create(account, 'team', { name: `n${next++}`, phone: '1' });
  };
  await Promise.all(Array.from({ length: 16 }, connection));
}

function exported(account: string, ...args: string[]) {
  const folder = on.at(`out-${++serial}`);
  return { folder, run: () => on.run(['export', '--account', account, '--to', folder, ...args]) };
}

async function text(folder: string, name: string): Promise<string> {
  return readFile(`${folder}/${name}`, 'utf8');
}

describe('An export', () => {
  it('has a file for each collection, payments, audit events and a manifest with their counts and sums', async () => {
    await create('a|1', 'customers', { name: 'A', phone: '1' });
    await create('a|1', 'orders', { customer: 'A', service: 'B', amount: 10, paid: 4 });
    await create('another', 'customers', { name: 'Z', phone: '9' });
    const { folder, run } = exported('a|1');
    expect(await run()).toMatchObject({ code: 0 });
    const manifest = JSON.parse(await text(folder, 'manifest.json'));
    expect(manifest).toMatchObject({ account: 'a|1', format: 'ndjson', changed_meanwhile: 'no' });
    expect((await readdir(folder)).sort()).toEqual(
      [...manifest.files.map(({ name }: { name: string }) => name), 'manifest.json'].sort(),
    );
    for (const { name, records, bytes, sha256 } of manifest.files) {
      const content = await text(folder, name);
      expect(content.split('\n').length - 1).toBe(records);
      expect(Buffer.byteLength(content)).toBe(bytes);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
      expect((await stat(`${folder}/${name}`)).mode & 0o777).toBe(0o600);
    }
    expect(JSON.parse(await text(folder, 'payments.ndjson'))).toMatchObject({ due: 6 });
    const events = (await text(folder, 'audit.ndjson'))
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l));
    expect(events.map(({ owner_sub }) => owner_sub)).toEqual(['a|1', 'a|1']);
  });

  it('has the oldest record first, over several pages', async () => {
    const { folder, run } = exported(MANY, '--collection', 'team');
    await run();
    const names = (await text(folder, 'team.ndjson'))
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l).name);
    const listed = await on.contents(MANY, 'team');
    expect(names).toEqual(listed.map(({ name }) => name));
    expect(new Set(names).size).toBe(MANY_COUNT);
    expect(await readdir(folder)).not.toContain('customers.ndjson');
  });

  it('holds pages of large records in smaller pages', async () => {
    const photo = 'x'.repeat(1_000_000);
    for (let i = 0; i < 11; i++)
      await create('photos', 'team', { name: `n${i}`, phone: '1', photo });
    const { folder, run } = exported('photos', '--collection', 'team');
    expect((await run()).code).toBe(0);
    const lines = (await text(folder, 'team.ndjson')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).name)).toEqual(
      Array.from({ length: 11 }, (_, i) => `n${i}`),
    );
  });

  it('as CSV has every property once, and nested values as JSON', async () => {
    await create('csv', 'customers', { name: 'A', phone: '+2557', tags: ['x', { y: 1 }] });
    await create('csv', 'customers', {
      name: '=1+1',
      phone: '0713',
      email: '@x',
      n: -5,
      note: 'a,"b"\nc',
    });
    const plain = exported('csv', '--format', 'csv', '--collection', 'customers');
    await plain.run();
    const lines = await text(plain.folder, 'customers.csv');
    expect(lines.split('\r\n')[0]).toBe('id,owner_sub,name,phone,email,n,note,tags');
    expect(lines).toContain(',A,+2557,,,,"[""x"",{""y"":1}]"\r\n');
    expect(lines).toContain(',=1+1,0713,@x,-5,"a,""b""\nc",\r\n');
    const excel = exported('csv', '--excel', '--delimiter', ';', '--collection', 'customers');
    await excel.run();
    const safe = await text(excel.folder, 'customers.csv');
    expect(safe.startsWith('\ufeffid;owner_sub;')).toBe(true);
    expect(safe).toContain(";A;'+2557;");
    expect(safe).toContain(";'=1+1;0713;'@x;-5;");
  });

  it.each([
    [';1234,5;1,2340', ['--delimiter', ';']],
    [';1234,5;1,2340', ['--excel', '--delimiter', ';']],
    [',1234.5,1.2340', []],
    [';1234.5;1.2340', ['--delimiter', ';', '--decimal', '.']],
  ])('writes the amounts %s with %j, and the import takes them back', async (amounts, args) => {
    const [account, again] = [`amounts-${++serial}`, `amounts-${serial}-again`];
    const order = { customer: 'A', service: 'B', amount: 1234.5, paid: 1.234 };
    await create(account, 'orders', order);
    const { folder, run } = exported(account, '--format', 'csv', ...args);
    await run();
    expect(await text(folder, 'orders.csv')).toContain(amounts);
    await on.run(['import', `${folder}/orders.csv`, '--account', again, '--into', 'orders']);
    expect(await on.contents(again, 'orders')).toMatchObject([order]);
  });

  it('of all accounts has a folder for each, whatever the subjects are', async () => {
    for (const subject of ['auth0|Ämina', '../x', 'AMINA', 'amina', 'y'.repeat(300)]) {
      await create(subject, 'team', { name: subject, phone: '1' });
    }
    const folder = on.at('all');
    const { code } = await on.runProcess(['export', '--all', '--to', folder]);
    expect(code).toBe(0);
    const { exported: accounts } = JSON.parse(await text(folder, 'accounts.json'));
    const names = await readdir(folder);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const account of accounts) {
      const manifest = JSON.parse(await text(`${folder}/${account.folder}`, 'manifest.json'));
      expect(manifest.account).toBe(account.account);
    }
    expect(accounts.map((each: { account: string }) => each.account)).toContain('../x');
  });

  it.each([
    ['before it writes', 3, 'stopped; nothing was written'],
    ['while it writes', 17, 'is no whole export; remove it'],
  ])('stops with Ctrl-C %s, and says how it left the folder', async (when, request, sentence) => {
    const interruption = new AbortController();
    const pages = await openMeddlingProxy({
      method: 'GET',
      to: String(on.environment['SERVICE_URL']),
      after(_response, number) {
        if (number === request) interruption.abort();
        return false;
      },
    });
    const folder = on.at(when);
    const { code, stderr } = await on.run(
      ['export', '--account', MANY, '--to', folder],
      pages.environment,
      { interrupted: interruption.signal },
    );
    await pages.close();
    expect([code, stderr]).toEqual([130, expect.stringContaining(sentence)]);
    const written = await readdir(folder).catch(() => undefined);
    expect(written === undefined).toBe(when === 'before it writes');
    expect(written ?? []).not.toContain('manifest.json');
    const { code: refused } = await on.run(['import', folder, '--account', 'elsewhere']);
    expect(refused).not.toBe(0);
  });

  it('says whether the account changed meanwhile', async () => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await create(MANY, 'team', { name: 'later', phone: '1' });
    })();
    const { folder, run } = exported(MANY);
    const { stdout } = await run();
    isOver = true;
    await writing;
    expect(stdout).toContain(`${MANY} changed during the export`);
    expect(JSON.parse(await text(folder, 'manifest.json')).changed_meanwhile).toBe('yes');
    const ids = (await text(folder, 'team.ndjson'))
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l).id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(MANY_COUNT);
  });

  it.each<[string, string[], number, RegExp]>([
    ['an account without records', ['--account', 'nobody', '--to', 'o1'], 1, /has no record/],
    [
      'a folder that is not empty',
      ['--account', 'csv', '--to', '.'],
      1,
      /is not empty; name a new one/,
    ],
    ['no account', ['--to', 'o2'], 2, /--account and --all are both missing/],
    ['both', ['--all', '--account', 'csv', '--to', 'o3'], 2, /both given/],
    [
      'an unknown collection',
      ['--all', '--to', 'o4', '--collection', 'clients'],
      2,
      /must be one of/,
    ],
    [
      'Excel as NDJSON',
      ['--all', '--to', 'o5', '--excel', '--format', 'ndjson'],
      2,
      /are for --format csv/,
    ],
  ])('is refused for %s', async (_name, args, wanted, sentence) => {
    const { code, stderr } = await on.run(['export', ...args], { INIT_CWD: on.folder });
    expect([code, stderr]).toEqual([wanted, expect.stringMatching(sentence)]);
    expect(await readdir(on.folder)).not.toContain('o1');
  });
});

describe('The way back', () => {
  it('gives the same records except for their ids', async () => {
    const some = fc.sample(steps({ accounts: 3, steps: 4, commands: 30 }), {
      seed: 20261122,
      numRuns: 2,
    });
    let made = 0;
    for (const { lanes } of some.flat()) {
      for (const command of lanes.flat()) {
        if (command.kind !== 'create') continue;
        const body = command.body as JsonObject;
        await create('model', command.collection, body).then(
          () => made++,
          () => {},
        );
      }
    }
    expect(made).toBeGreaterThan(30);
    const before = await allContents('model');
    const { folder, run } = exported('model');
    await run();
    const { code, stdout } = await on.run(['import', folder, '--account', 'model|2', '--in-order']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('records created')]);
    expect(await allContents('model|2')).toEqual(before);
  });

  it('is refused when a file differs from its export, or when the export is incomplete', async () => {
    await create('torn', 'customers', { name: 'A', phone: '1' });
    const { folder, run } = exported('torn');
    await run();
    await writeFile(`${folder}/customers.ndjson`, '{"name":"B","phone":"1"}\n');
    const changed = await on.run(['import', folder, '--account', 'torn|2']);
    expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining('SHA-256 differs')]);
    const broken = await on.run(['import', on.folder, '--account', 'torn|2']);
    expect([broken.code, broken.stderr]).toEqual([
      1,
      expect.stringContaining('has no manifest.json'),
    ]);
  });
});

/** As texts, because `toEqual` ignores an own `__proto__`. The order of properties is kept, except for numeric names. */
async function allContents(account: string) {
  const contents: Record<string, string[]> = {};
  for (const collection of COLLECTION_NAMES) {
    const records = await on.contents(account, collection);
    contents[collection] = records.map((record) => {
      const entries = Object.entries(record).filter(
        ([name]) => !(collection === 'businesses' && name === 'ownerSub'),
      );
      return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
    });
  }
  return contents;
}
