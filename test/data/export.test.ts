// `export`: all data of an account in a folder, lossless as NDJSON, or as CSV for spreadsheets; and
// its re-import.

import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CollectionName } from '../../src/core/domain/collection-name.js';
import type { JsonObject } from '../../src/core/domain/json.js';
import { dataService } from '../support/data-service.js';
import { MANAGE } from '../support/manage.js';
import { privateMounts } from '../support/private-mounts.js';
import { startProgram } from '../support/program.js';

/** An account with more records than two pages, some of them large. */
const MANY = 'many';
const MANY_COUNT = 450;

const service = dataService();
const mounts = privateMounts() ?? [];
let serial = 0;

beforeAll(async () => {
  for (let i = 0; i < MANY_COUNT; i++) {
    const photo = 'x'.repeat(i % 20 === 0 ? 900_000 : 0);
    await create(MANY, 'team', { name: `${i}`, phone: '1', photo });
  }
});

async function create(account: string, collection: CollectionName, body: JsonObject) {
  await service.client.recordsOf(account)[collection].create(body as never);
}

function exported(account: string, ...args: string[]) {
  const folder = service.at(`out-${++serial}`);
  return {
    folder,
    run: () => service.run(['export', '--account', account, '--to', folder, ...args]),
  };
}

async function text(folder: string, name: string): Promise<string> {
  return readFile(`${folder}/${name}`, 'utf8');
}

async function rows(folder: string, name: string): Promise<Record<string, unknown>[]> {
  const lines = (await text(folder, name)).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

describe('An export', () => {
  it('has a file for each collection with records, the payments and the audit events', async () => {
    await create('a|1', 'customers', { name: 'A', phone: '1' });
    await create('a|1', 'orders', { customer: 'A', service: 'B', amount: 10, paid: 4 });
    await create('another', 'customers', { name: 'Z', phone: '9' });
    const { folder, run } = exported('a|1');
    const { code, stdout } = await run();
    const counts = expect.stringContaining('customers 1, services 0, orders 1');
    expect([code, stdout]).toEqual([0, counts]);
    const names = ['audit.ndjson', 'customers.ndjson', 'orders.ndjson', 'payments.ndjson'];
    expect((await readdir(folder)).sort()).toEqual(names);
    for (const name of names) expect((await stat(`${folder}/${name}`)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await text(folder, 'payments.ndjson'))).toMatchObject({ due: 6 });
    const events = await rows(folder, 'audit.ndjson');
    expect(events.map(({ owner_sub }) => owner_sub)).toEqual(['a|1', 'a|1']);
  });

  it('has the oldest record first, over several pages', async () => {
    const { folder, run } = exported(MANY, '--collection', 'team');
    expect((await run()).code).toBe(0);
    const names = (await rows(folder, 'team.ndjson')).map(({ name }) => Number(name));
    expect(names).toEqual(Array.from({ length: MANY_COUNT }, (_, i) => i));
    expect(await readdir(folder)).not.toContain('customers.ndjson');
  });

  it('as CSV has every property once, and nested values as JSON', async () => {
    await create('csv', 'customers', { name: 'A', phone: '+2557', tags: ['x', { y: 1 }] });
    const odd = { name: '=1+1', phone: '0713', email: '@x', n: -5, note: 'a,"b"\nc' };
    await create('csv', 'customers', odd);
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
    // Excel treats digits as a number, and would save 713.
    expect(safe).toContain(";'=1+1;'0713;'@x;-5;");
  });

  it('as CSV with semicolons has decimal commas, unless --decimal says otherwise', async () => {
    await create('amounts', 'services', { name: 'A', price: 1234.5 });
    for (const [wanted, ...args] of [
      [';1234,5;', '--delimiter', ';'],
      [';1234.5;', '--delimiter', ';', '--decimal', '.'],
    ]) {
      const { folder, run } = exported('amounts', ...args);
      await run();
      expect(await text(folder, 'services.csv')).toContain(wanted);
    }
  });

  it('stops on Ctrl-C while it writes, and leaves nothing', async () => {
    const words = ['export', '--account', MANY, '--to', service.at('stopped')];
    const { code, stderr } = await service.runInterrupted(words, 'GET 11');
    expect([code, stderr]).toEqual([130, expect.stringMatching(/^stopped/)]);
    const names = await readdir(service.folder);
    expect(names.filter((name) => name.startsWith('stopped'))).toEqual([]);
  });

  it.skipIf(mounts.length === 0)('fails if the disk of temporary files fills up', async () => {
    await create('full', 'team', { name: 'x'.repeat(20_000), phone: '1' });
    const environment = { ...service.environment, TMPDIR: service.at('small') };
    await mkdir(environment.TMPDIR);
    const script = 'mount -t tmpfs -o size=8192 tmpfs $TMPDIR && exec "$0" "$@"';
    const command = [process.execPath, MANAGE, ...'export --account full --to no'.split(' ')];
    const given = { environment, cwd: service.folder };
    const run = startProgram([...mounts, 'sh', '-c', script, ...command], given);
    expect(await run.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOSPC') });
  });

  it('reports whether the account changed in the meantime', async () => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await create(MANY, 'team', { name: 'later', phone: '1' });
    })();
    const { folder, run } = exported(MANY);
    const { stdout } = await run();
    isOver = true;
    await writing;
    expect(stdout).toContain(`${MANY} changed during the export`);
    const ids = (await rows(folder, 'team.ndjson')).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(MANY_COUNT);
  });

  it.each<[string, string, number, RegExp]>([
    ['an account without records', '--account nobody --to o1', 1, /has no record/],
    ['a folder with files', '--account csv --to .', 1, /be created \(ENOTEMPTY\); name a new or/],
    ['Excel as NDJSON', '--account csv --to o4 --excel --format ndjson', 2, /are for --format csv/],
  ])('is refused for %s', async (_name, args, wanted, sentence) => {
    const words = ['export', ...args.split(' ')];
    const { code, stderr } = await service.run(words, { INIT_CWD: service.folder });
    expect([code, stderr]).toEqual([wanted, expect.stringMatching(sentence)]);
    expect((await readdir(service.folder)).filter((name) => /^o\d/.test(name))).toEqual([]);
  });
});

describe('A re-import', () => {
  it.each([
    ['NDJSON', []],
    ['CSV', ['--format', 'csv']],
    ["Excel's CSV", ['--excel', '--delimiter', ';']],
  ])('from %s gives the same records except for their ids', async (_name, options) => {
    const account = `records-${serial}`;
    for (const [collection, body] of RECORDS) await create(account, collection, body);
    const { folder, run } = exported(account, ...options);
    await run();
    const args = ['import', folder, '--account', `${account}-again`, '--in-order'];
    expect((await service.run(args)).code).toBe(0);
    for (const collection of ['services', 'orders', 'businesses'] as const) {
      const before = await texts(account, collection);
      expect(await texts(`${account}-again`, collection)).toEqual(before);
    }
  });

  it('is refused from a folder without an export', async () => {
    const { code, stderr } = await service.run(['import', service.folder, '--account', 'x']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has no file such as')]);
  });
});

/** A text must not come back as a number, or vice versa. */
const BODIES: readonly JsonObject[] = [
  { note: '+255713', more: "'+255713", most: "''-- vip", tail: "'", middle: "it's" },
  { note: '5', more: '1.000', most: '1,5', tail: '007', middle: '1e21' },
  { note: 5, more: 1.234, most: -1234.567, tail: 1e21, middle: 1e-7 },
  { note: 'true', more: 'null', most: '', tail: '[]', middle: '{"a":1}' },
  { note: true, more: null, most: [], tail: { a: ['x', 1] }, middle: false },
  { active: 'FALSE', category: 5, duration: null, currency: 'USD' },
  { active: 0, category: '5', duration: '05/06/2026', ' odd ': ' x ', "'=head": '=1+1' },
  { note: '\t', more: 'a\r\nb', most: 'a;b', tail: ' ', '=also': '@', '': 'no name' },
];
const RECORDS: readonly [CollectionName, JsonObject][] = [
  ...BODIES.map((body): [CollectionName, JsonObject] => [
    'services',
    { name: 'S', price: 1, ...body },
  ]),
  ['orders', { customer: 'A', service: 'B', amount: 1.234, method: null, date: '31/12/2026' }],
  ['orders', { customer: 'A', service: 'B', amount: 2, customFields: { size: 'M' }, paid: 1.5 }],
  ['businesses', JSON.parse('{"__proto__":{"a":1},"10":"b","createdAt":"2026-12-31"}')],
];

/** As texts, because `toEqual` ignores an own `__proto__`. `ownerSub` differs, and numeric names move. */
async function texts(account: string, collection: CollectionName): Promise<string[]> {
  const records = await service.contents(account, collection);
  return records.map(({ ownerSub: _, ...record }) =>
    JSON.stringify(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}
