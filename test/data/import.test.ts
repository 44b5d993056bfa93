// `import`: each row becomes one record, or the command says how to check.

import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { dataService } from '../support/data-service.js';
import { type Interception, openInterceptingProxy } from '../support/intercepting-proxy.js';

const service = dataService();
let serial = 0;

const customers = (count: number) =>
  `name,phone\n${[...Array(count).keys()].map((i) => `Mteja ${i},07${i}\n`).join('')}`;

/** A new account and a new file each time. */
async function prepared(content: string) {
  const account = `shop|${++serial}`;
  const file = await service.file(`import-${serial}.csv`, content);
  return { account, file, args: ['import', file, '--account', account, '--into', 'customers'] };
}

const names = async (account: string) =>
  (await service.contents(account, 'customers')).map(({ name }) => name);

/** A proxy that counts the creates. */
const proxy = (answers: Omit<Interception, 'method' | 'to'>) =>
  openInterceptingProxy({ method: 'POST', to: service.url, ...answers });

describe('An import', () => {
  it('creates a record for each row, two equal rows included', async () => {
    const { account, args } = await prepared('name,phone\nA,+255713\nB,0713\nA,+255713\n');
    const { code, stdout } = await service.runProcess([...args, '--in-order']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 records created')]);
    expect(stdout).toMatch(/the account "shop\|\d+" has no customers yet\n/);
    const a = { name: 'A', phone: '+255713' };
    const wanted = [a, { name: 'B', phone: '0713' }, a];
    expect(await service.contents(account, 'customers')).toEqual(wanted);
    // Each audit event names the import.
    const { items } = await service.client.audit.list({ page_size: 3 });
    expect(items[0]?.run).toMatch(/^import-[0-9a-f]{16}$/);
    expect(items.map(({ run }) => run)).toEqual(Array(3).fill(items[0]?.run));
  });

  it('of rows that already exist is refused until the operator decides', async () => {
    const { account, file, args } = await prepared(customers(20));
    expect((await service.run(args)).code).toBe(0);
    await service.file(file.slice(service.folder.length + 1), `${customers(20)}Mteja 0,070\nZ,0\n`);
    const stderr = expect.stringContaining('nothing was written: 20 of 22 rows');
    expect(await service.run(args)).toMatchObject({ code: 1, stderr });
    const stdout = expect.stringMatching(/20 rows there already\n.*2 records created/s);
    expect(await service.run([...args, '--existing', 'skip'])).toMatchObject({ code: 0, stdout });
    expect(await names(account)).toHaveLength(22);
    await service.run([...args, '--existing', 'create']);
    expect(await names(account)).toHaveLength(44);
    await service.run(['import', file, '--account', 'other', '--into', 'customers']);
    expect(await names('other')).toHaveLength(22);
  });

  it('writes nothing if a row is bad, or the good rows with --skip-bad', async () => {
    const { account, args } = await prepared('name,phone\nA,1\n,2\nC,3\n');
    const refused = await service.run(args);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was') });
    expect(await names(account)).toEqual([]);
    const stdout = expect.stringContaining('2 records created, 1 bad row left out');
    expect(await service.run([...args, '--skip-bad', '--in-order'])).toMatchObject({
      code: 1,
      stdout,
    });
    expect(await names(account)).toEqual(['A', 'C']);
  });

  it('imports the last row first with --reverse', async () => {
    const { account, args } = await prepared(customers(150));
    await service.run([...args, '--reverse', '--in-order']);
    expect(await names(account)).toEqual([...Array(150).keys()].map((i) => `Mteja ${149 - i}`));
  });

  it('stops on Ctrl-C, and a second run with --existing skip creates the rest', async () => {
    const { account, args } = await prepared(customers(200));
    const { code, stderr } = await service.runInterrupted(args, 'POST 40');
    const sentence = /stopped; \d+ of 200 records .* run the command again with --existing skip/;
    expect([code, stderr]).toEqual([130, expect.stringMatching(sentence)]);
    const made = (await names(account)).length;
    expect(made).toBeGreaterThanOrEqual(32);
    expect(made).toBeLessThan(200);
    const stdout = expect.stringContaining(`${200 - made} records created`);
    expect(await service.run([...args, '--existing', 'skip'])).toMatchObject({ code: 0, stdout });
    expect(new Set(await names(account)).size).toBe(200);
  });
});

describe('An import behind a proxy', () => {
  const ROWS = customers(50) + customers(50).slice(11);
  const EACH_TWICE = [...Array(50).keys()].flatMap((i) => Array(2).fill(`Mteja ${i}`)).sort();
  const nth = (n: number, act: (response: ServerResponse) => unknown) => {
    return (response: ServerResponse, number: number) => number % n === 0 && Boolean(act(response));
  };

  it.each([
    ['429', { 'Retry-After': '0' }],
    ['503', { 'Retry-After': '0' }],
  ])('that responds %s creates each record once', async (status, headers) => {
    const { account, args } = await prepared(ROWS);
    const before = nth(20, (response) => response.writeHead(Number(status), headers).end());
    const between = await proxy({ before });
    const { code, stderr } = await service.run(args, between.environment);
    await between.close();
    expect([code, stderr]).toEqual([0, expect.stringContaining('retrying in')]);
    expect((await names(account)).sort()).toEqual(EACH_TWICE);
  });

  it.each<[string, Parameters<typeof proxy>[0]]>([
    [
      'answers 504 after the record was made',
      { after: nth(25, (response) => response.writeHead(504).end()) },
    ],
    ['breaks off the answer', { after: nth(25, (response) => response.destroy()) }],
  ])('that %s stops, and --existing skip creates the rest', async (_name, answers) => {
    const { account, args } = await prepared(ROWS);
    const between = await proxy(answers);
    const { code, stderr } = await service.run(args, between.environment);
    await between.close();
    const sentence = /line \d+: .*; \d+ of 100 records known .* --existing skip/;
    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect((await names(account)).length).toBeLessThan(100);
    expect((await service.run([...args, '--existing', 'skip'])).code).toBe(0);
    expect((await names(account)).sort()).toEqual(EACH_TWICE);
  });
});
