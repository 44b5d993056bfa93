// `import`: rows become records, each once, whatever happens on the way.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDataCommand } from '../support/data-command.js';
import { type DataService, openDataService } from '../support/data-service.js';
import { onLoopback } from '../support/loopback.js';
import { openMeddlingProxy } from '../support/meddling-proxy.js';

// Each test runs processes, one after the other.
vi.setConfig({ testTimeout: 120_000 });

let on: DataService;
let serial = 0;

beforeAll(async () => {
  on = await openDataService();
});
afterAll(() => on.close());

function customers(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => `Mteja ${i},07${i}\n`);
  return `name,phone\n${rows.join('')}`;
}

/** A new account and a new file each time. */
async function prepared(content: string) {
  const account = `shop|${++serial}`;
  const file = await on.file(`import-${serial}.csv`, content);
  return { account, file, args: ['import', file, '--account', account, '--into', 'customers'] };
}

async function names(account: string): Promise<unknown[]> {
  return (await on.contents(account, 'customers')).map(({ name }) => name);
}

type Meddling = Pick<Parameters<typeof openMeddlingProxy>[0], 'before' | 'after'>;

/** A proxy that counts the creates. */
function proxy(meddling: Meddling) {
  return openMeddlingProxy({
    method: 'POST',
    to: String(on.environment['SERVICE_URL']),
    ...meddling,
  });
}

describe('An import', () => {
  it('says that an account has no record yet, once', async () => {
    const { args } = await prepared('name,phone\nA,1\n');
    const { stdout } = await on.run(args);
    expect(stdout).toMatch(/the account "shop\|\d+" has no record yet\n/);
    const again = await on.run(args);
    expect(again.stdout).not.toContain('no record yet');
  });

  it('creates a record for each row, two equal rows included', async () => {
    const { account, args } = await prepared('name,phone\nA,+255713\nB,0713\nA,+255713\n');
    const { code, stdout } = await on.runProcess([...args, '--in-order']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 records created')]);
    expect(await on.contents(account, 'customers')).toEqual([
      { name: 'A', phone: '+255713' },
      { name: 'B', phone: '0713' },
      { name: 'A', phone: '+255713' },
    ]);
  });

  it('that is finished creates nothing when it is run again', async () => {
    const { account, args } = await prepared(customers(20));
    expect((await on.run(args)).code).toBe(0);
    const { code, stdout } = await on.run(args);
    expect([code, stdout]).toEqual([0, expect.stringContaining('nothing to do')]);
    expect(await names(account)).toHaveLength(20);
  });

  it('goes into another account from the same file', async () => {
    const { file, args } = await prepared(customers(2));
    await on.run(args);
    const { code } = await on.run(['import', file, '--account', 'other', '--into', 'customers']);
    expect(code).toBe(0);
    expect(await names('other')).toHaveLength(2);
  });

  it('of a file that changed, or with other options, is refused', async () => {
    const { account, file, args } = await prepared(customers(2));
    await on.run(args);
    const otherwise = await on.run([...args, '--map', 'phone=phone,name=name']);
    expect([otherwise.code, otherwise.stderr]).toEqual([
      1,
      expect.stringContaining('other options'),
    ]);
    await writeFile(file, customers(3));
    const changed = await on.run(args);
    expect([changed.code, changed.stderr]).toEqual([
      1,
      expect.stringContaining('has changed since'),
    ]);
    expect(await names(account)).toHaveLength(2);
  });

  it('writes nothing where a row is bad, and the others with --skip-bad', async () => {
    const { account, args } = await prepared('name,phone\nA,1\n,2\nC,3\n');
    const refused = await on.run(args);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('nothing was written'),
    ]);
    expect(await names(account)).toEqual([]);
    const { code, stdout } = await on.run([...args, '--skip-bad', '--in-order']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('2 of 3 rows are in customers, 1 left out'),
    ]);
    expect(await names(account)).toEqual(['A', 'C']);
    const again = await on.run([...args, '--skip-bad']);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('nothing to do')]);
    expect(await names(account)).toEqual(['A', 'C']);
  });

  it('goes from the last row to the first with --reverse', async () => {
    const { account, args } = await prepared(customers(150));
    await on.run([...args, '--reverse', '--in-order']);
    const found = await names(account);
    expect(found).toEqual(Array.from({ length: 150 }, (_, i) => `Mteja ${149 - i}`));
  });

  it('leaves the file and its journal, and no other file', async () => {
    const { file, args } = await prepared(customers(3));
    await on.run(args);
    const own = (await readdir(on.folder)).filter((name) => on.at(name).startsWith(file));
    expect(own).toEqual([
      expect.stringMatching(/\.csv$/),
      expect.stringMatching(/\.csv\.import-[0-9a-f]{12}$/),
    ]);
    expect(await readFile(on.at(own[1] ?? ''), 'utf8')).not.toContain('Mteja');
  });

  it('is refused while another import of the same file is running', async () => {
    const { account, args } = await prepared(customers(150));
    const runs = await Promise.all(
      [1, 2, 3].map(() => on.runProcess([...args, '--connections', '2'])),
    );
    const codes = runs.map(({ code }) => code);
    expect(codes).toContain(0);
    for (const { code, stderr, stdout } of runs) {
      if (code === 0) expect(stdout).toMatch(/150 records created|nothing to do/);
      else expect(stderr).toMatch(/another import of .* is under way \(process \d+\)/);
    }
    expect(new Set(await names(account)).size).toBe(150);
    expect(await names(account)).toHaveLength(150);
  });

  it('stops with Ctrl-C, says how to continue, and continues', async () => {
    const { account, args } = await prepared(customers(200));
    const held = await proxy({
      before(_response, number) {
        if (number === 40) started.child.kill('SIGINT');
        return false;
      },
    });
    const environment = { ...on.environment, ...held.environment };
    const started = startDataCommand(args, environment);
    const { code, stderr } = await started.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /stopped; \d+ of 200 records are created; run the same command to go on/,
    );
    const before = (await names(account)).length;
    expect(before).toBeGreaterThanOrEqual(32);
    expect(before).toBeLessThan(200);
    const again = await startDataCommand(args, environment).ended;
    await held.close();
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining(`going on: ${before} of 200`),
    ]);
    expect(new Set(await names(account)).size).toBe(200);
    expect(await names(account)).toHaveLength(200);
  });
});

describe('An import behind a proxy', () => {
  it.each<[string, Meddling]>([
    [
      'that answers 429',
      {
        before: (response, n) =>
          n % 20 === 0 && Boolean(response.writeHead(429, { 'Retry-After': '0' }).end('slow down')),
      },
    ],
    [
      'that answers 503',
      { before: (response, n) => n % 25 === 0 && Boolean(response.writeHead(503).end()) },
    ],
    [
      'that answers 504 after the record was made',
      { after: (response, n) => n % 25 === 0 && Boolean(response.writeHead(504).end()) },
    ],
    [
      'that breaks off the answer',
      { after: (response, n) => n % 25 === 0 && Boolean(response.destroy()) },
    ],
    ['that never answers now and then', { before: (_response, n) => n % 60 === 0 }],
  ])('%s creates each record once', async (_name, meddling) => {
    const { account, args } = await prepared(
      customers(50) + customers(50).slice(11) + customers(20).slice(11),
    );
    const between = await proxy(meddling);
    const { code, stderr } = await on.run(args, between.environment);
    await between.close();
    expect(stderr).toContain('waiting');
    expect(code).toBe(0);
    const counts = new Map<unknown, number>();
    for (const name of await names(account)) counts.set(name, (counts.get(name) ?? 0) + 1);
    const wanted = Array.from({ length: 50 }, (_, i) => [`Mteja ${i}`, i < 20 ? 3 : 2]);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(wanted));
  });

  it('that never answers ends with a sentence', async () => {
    const { args } = await prepared(customers(3));
    const dead = await proxy({ before: () => true });
    const waits = { firstMs: 5, maxMs: 20, patienceMs: 300, timeoutMs: 200, onItsWayMs: 10 };
    const run = await on.run(args, dead.environment, { waits });
    await dead.close();
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /has not recovered .* 0 of 3 records are created; run the same command to go on/s,
    );
  });

  it('waits as long as Retry-After says', async () => {
    const { args } = await prepared(customers(3));
    const busy = await proxy({
      before: (response, n) =>
        n === 1 && Boolean(response.writeHead(429, { 'Retry-After': '1' }).end()),
    });
    const { stderr, code } = await on.run(args, busy.environment);
    await busy.close();
    expect([code, stderr]).toEqual([0, expect.stringContaining('waiting 1.0 s')]);
  });

  it('that redirects does not send the key to another address', async () => {
    const { args } = await prepared(customers(1));
    const keys: unknown[] = [];
    const elsewhere = createServer((request, response) => {
      keys.push(request.headers['x-service-admin-key']);
      response.end();
    });
    const target = await onLoopback(elsewhere);
    const redirecting = createServer((_request, response) => {
      response.writeHead(302, { Location: `http://localhost:${target.port}/` }).end();
    });
    const asked = await onLoopback(redirecting);
    const { code } = await on.run(args, { SERVICE_URL: `${asked.origin}/api/v1` });
    await Promise.all([target.close(), asked.close()]);
    expect([code, keys]).toEqual([1, []]);
  });
});
