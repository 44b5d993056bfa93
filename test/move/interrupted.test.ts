// A move whose way is bad: answers get lost, connections break, the operator presses
// Ctrl-C. Nothing is there twice, and nothing is missing.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMeddlingProxy } from '../support/meddling-proxy.js';
import {
  type MoveWorkers,
  moveHere,
  startMove,
  startMoveWorkers,
} from '../support/move-command.js';
import { contentsOf, type FileContents, makeShopFile } from '../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const ACCOUNTS = ['amina', 'juma'];

let folder: TemporaryFolder;
let workers: MoveWorkers;
let before: FileContents;
const at = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await openTemporaryFolder();
  workers = await startMoveWorkers(folder.path);
  await makeShopFile(at('shop.db'), { accounts: ACCOUNTS, records: 7_000, events: 2_500 });
  before = await contentsOf(at('shop.db'));
});
afterAll(async () => {
  await workers.stop();
  await folder.remove();
});

/** What happens to each request on the way, in turns. */
type Mishap = 'none' | 'lost before' | 'lost after' | '503';

/** A proxy with a bad line. `counted` is told of each request. */
function badLine(mishaps: readonly Mishap[], counted: (requests: number) => unknown = () => {}) {
  const mishapOf = (number: number) => mishaps[(number - 1) % mishaps.length];
  return openMeddlingProxy({
    to: workers.maintenance,
    before(response, number) {
      counted(number);
      const mishap = mishapOf(number);
      if (mishap === 'lost before') response.destroy();
      else if (mishap === '503') response.writeHead(503).end('busy');
      else return false;
      return true;
    },
    after: (response, number) => mishapOf(number) === 'lost after' && Boolean(response.destroy()),
  });
}

const MISHAPS: readonly Mishap[] = [
  ...(['none', 'none', 'lost after', 'none', 'lost before'] as const),
  ...(['none', '503', 'none', 'lost after'] as const),
];

it('Over a line that loses requests and answers everything arrives once, there and back', async () => {
  for (const way of [
    (url: string) => ['--from', at('shop.db'), '--to', url],
    (url: string) => ['--from', url, '--to', at('back.db')],
  ]) {
    const line = await badLine(MISHAPS);
    const { code, stderr } = await moveHere(way(line.origin)).finally(line.close);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('before going on');
  }
  const after = await contentsOf(at('back.db'));
  expect(after.accounts).toEqual(before.accounts);
  expect(after.events).toEqual(before.events);
  expect(after.sequences).toEqual(before.sequences);
});

it('Ctrl-C says how to go on, and the same command does', async () => {
  let stop = () => {};
  // Behind the first pieces of both accounts.
  const line = await badLine(['none'], (requests) => requests === 6 && stop());
  const args = ['--from', line.origin, '--to', at('stopped.db')];
  try {
    const first = startMove(args);
    stop = () => first.child.kill('SIGINT');
    const stopped = await first.ended;
    expect(stopped).toMatchObject({ code: 130, stderr: expect.stringContaining('same command') });
    const other = [...args, '--account', 'amina'];
    expect((await startMove(other).ended).stderr).toContain('it is of a move from');
    const { code, stderr } = await startMove(args).ended;
    expect(code, stderr).toBe(0);
  } finally {
    await line.close();
  }
  expect((await contentsOf(at('stopped.db'))).accounts).toEqual(before.accounts);
});

it('A Worker that is not there, or is another program, is said in a sentence', async () => {
  const line = await badLine(['lost before']);
  const away = await moveHere(['--from', at('shop.db'), '--to', line.origin]);
  await line.close();
  expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('no answer from') });
  const service = await moveHere(['--from', at('shop.db'), '--to', workers.service]);
  expect(service).toMatchObject({ code: 1, stderr: expect.stringContaining('answered 404') });
  const to = ['--from', at('shop.db'), '--to', workers.maintenance];
  const keyless = await moveHere(to, { key: 'k'.repeat(40) });
  expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining('refused the key') });
  expect(keyless.stderr).not.toContain('kkkk');
});
