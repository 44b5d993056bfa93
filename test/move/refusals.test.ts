// Moves that are refused: words that make no sense, files that are none, accounts that
// would not fit. Each is said in one sentence, and nothing is changed.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { FILL_COLUMNS } from '../support/fill-columns.js';
import { type MoveWorkers, moveHere, startMoveWorkers } from '../support/move-command.js';
import { startServer } from '../support/server-process.js';
import { makeShopFile } from '../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const URL_ = 'http://127.0.0.1:9';

describe('The words of a move', () => {
  it.each([
    [[], '--from is missing'],
    [['--from', 'a.db'], '--to is missing'],
    [['--from', 'a.db', '--to', 'b.db'], '--from and --to are both files'],
    [['--from', URL_, '--to', URL_], '--from and --to are both addresses'],
    [['--from', 'a.db', '--to', 'http://user:word@x'], '--to is no plain http or https address'],
    [
      ['--from', 'a.db', '--to', URL_, '--renumbered', 'x'],
      '--renumbered is for a move into a file',
    ],
    [['--from', 'a.db', '--to', URL_, '--account', ''], '--account is empty'],
    [['--from', 'a.db', '--to', URL_, '--key', 'x'], "Unknown option '--key'"],
    [['a.db', '--to', URL_], '"a.db" is none'],
  ])('%j are wrong use', async (args, sentence) => {
    const { code, stderr, stdout } = await moveHere(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    // Where the words are not understood, the usage follows.
    expect(stderr.split('\nusage: ')[0]?.trim().split('\n')).toHaveLength(1);
  });

  it('need a key, and explain themselves', async () => {
    const args = ['--from', 'a.db', '--to', URL_];
    expect(await moveHere(args, { key: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ADMIN_API_KEY is unset, as is ADMIN_API_KEY_FILE'),
    });
    const help = await moveHere(['--help']);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--renumbered FILE') });
  });
});

describe('A file to move', () => {
  let folder: TemporaryFolder;
  let workers: MoveWorkers;
  const at = (name: string) => join(folder.path, name);
  const move = (name: string) => moveHere(['--from', at(name), '--to', workers.maintenance]);

  beforeAll(async () => {
    folder = await openTemporaryFolder();
    workers = await startMoveWorkers(folder.path, { ACCOUNT_MAX_BYTES: '150000' });
  });
  afterAll(async () => {
    await workers.stop();
    await folder.remove();
  });

  it("that is not there, no database, or another program's is refused", async () => {
    expect((await move('none.db')).stderr).toContain('there is no such file');
    expect(existsSync(at('none.db'))).toBe(false);
    await writeFile(at('text.db'), 'x'.repeat(5_000));
    expect((await move('text.db')).stderr).toContain('it is not a SQLite database');
    await runSql(at('other.db'), 'create table t (a)');
    expect((await move('other.db')).stderr).toContain('it is no database of this program');
    expect((await move('.')).stderr).toContain('it is not a file');
  });

  it.each([
    [
      'a trigger',
      'create trigger t after insert on records begin delete from records; end',
      'the trigger "t"',
    ],
    [
      'a row of no collection',
      "update records set collection = 'x' where position = 1",
      'is of no collection',
    ],
    ['a row that is no JSON', "update records set body = '{' where position = 1", 'is not JSON'],
    [
      'a time that is no whole number of safe size',
      'update records set created_at = 9007199254740993',
      'too large to be exact',
    ],
    [
      'an audit event that is none',
      "update audit_events set event = '{}' where id = 2",
      'the audit event 2',
    ],
  ])('with %s is refused', async (what, statement, sentence) => {
    const name = `${what.replaceAll(' ', '-')}.db`;
    await makeShopFile(at(name), { accounts: ['bibi'], records: 5, events: 3 });
    await runSql(at(name), statement);
    const { code, stderr } = await move(name);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(sentence) });
  });

  it('that a service holds is refused', async () => {
    await makeShopFile(at('held.db'), { accounts: ['held'], records: 5, events: 0 });
    const server = await startServer({ DATABASE_URL: `file:${at('held.db')}` });
    const { stderr } = await move('held.db').finally(server.stop);
    expect(stderr).toContain('a running service holds it; stop the service, or name a backup');
  });

  it('whose accounts cannot all go brings the others, and names each one that stays', async () => {
    const accounts = ['a-large-record', 'b-too-large', 'c-fits', 'd\u0007bell'];
    await makeShopFile(at('mixed.db'), { accounts, records: 40, events: 0 });
    const grow = (owner: string, bytes: number) =>
      `update records set body = json_set(body, '$.note', printf('%.*c', ${bytes}, 'x'))
        where position = (select min(position) from records where body ->> '$.owner_sub' = '${owner}')`;
    await runSql(
      at('mixed.db'),
      grow('a-large-record', 1_990_000),
      grow('b-too-large', 160_000),
      "update records set body = json_remove(body, '$.owner_sub') where position = 5",
      FILL_COLUMNS,
    );
    const { code, stdout } = await move('mixed.db');
    expect(code).toBe(1);
    expect(stdout).toContain('1 accounts with');
    expect(stdout).toMatch(
      /not moved: "a-large-record": the record \w+ \S+ has \d+ bytes; it may have 1990000/,
    );
    expect(stdout).toMatch(/not moved: "b-too-large": .*they may take 150000/);
    expect(stdout).toMatch(/not moved: "d\\u0007bell": no request can have this subject/);
    expect(stdout).toContain('1 records without an owner stay in the file');
    const known = await moveHere(['--from', workers.maintenance, '--to', at('known.db')]);
    expect(known.stdout).toContain('1 accounts with');
  });

  it('has to know the account that is asked for, and so have the Workers', async () => {
    await makeShopFile(at('one.db'), { accounts: ['x'], records: 5, events: 0 });
    const args = ['--from', at('one.db'), '--to', workers.maintenance, '--account', 'nobody'];
    expect((await moveHere(args)).stderr).toContain('the file has no records of "nobody"');
    const back = ['--from', workers.maintenance, '--to', at('n.db'), '--account', 'nobody'];
    expect((await moveHere(back)).stderr).toContain('no account "nobody" is known there');
  });
});
