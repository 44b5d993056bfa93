// `import --dry-run`: how files are read, and what it warns of.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DryRuns, openDryRuns, startDataCommand } from '../support/data-command.js';

let runs: DryRuns;

beforeAll(async () => {
  runs = await openDryRuns();
});
afterAll(() => runs.close());

function windows1252(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

const TEAM = 'name,phone\n';
const ZOE = '\ufeffname,phone\nZoë,1\n';

const SEPARATORS = ';;\nname;phone;\n;;\nA;1;\n ; ;\n\n;;;;\n';
const A1 = '{"name":"A","phone":"1"}';

describe('A dry run reads', () => {
  it.each<[string, string | Uint8Array, string, string[]?]>([
    ['a comma', 'name,phone\nA,0713\n', '{"name":"A","phone":"0713"}'],
    ['a semicolon', 'name;phone\nA;+255\n', '{"name":"A","phone":"+255"}'],
    ['a tab', 'name\tphone\nA\t1\n', A1],
    ["Excel's sep=", 'sep=|\r\nname|phone\r\nA|1\r\n', `line 3: ${A1}`],
    ['a byte order mark', '\ufeffname,phone\nA,1\n', A1],
    ['Windows-1252', windows1252('name,phone\nZo\xeb \x80,1\n'), '"Zoë €"'],
    ['UTF-16', Buffer.from(ZOE, 'utf16le'), 'line 2: {"name":"Zoë"'],
    [
      'UTF-16BE',
      Buffer.from(ZOE, 'utf16le').swap16(),
      'utf-16be, into team\n  line 2: {"name":"Zoë"',
    ],
    ['a title above the header', 'SALUNI YA NEEMA;;\n\nname;phone;\nA;1;\n', `line 4: ${A1}`],
    [
      'one apostrophe less before a formula',
      "name,phone,n\nA,'+255,''-- v\n",
      '"+255","n":"\'-- v"',
    ],
    ['quoted newlines', 'name,phone\n"A\r\nB",1\nC,2\n', 'line 4: {"name":"C","phone":"2"}'],
    ['quoted marks', 'name,phone\n"A ""B"", C",1\n', '{"name":"A \\"B\\", C","phone":"1"}'],
    ['mixed line ends', 'name,phone\r\nA,1\nB,2\rC,3\r\n', '3 rows, 3 good'],
    ['empty lines', 'name,phone\n\nA,1\n\n\nB,2\n', 'line 6: {"name":"B","phone":"2"}'],
    ['separators alone', SEPARATORS, '1 good, 0 bad, 5 empty lines skipped', ['--delimiter', ';']],
    ['no last line end', 'name,phone\nA,1', '1 rows, 1 good'],
    ['an empty column at the end, and empty cells', 'name,phone,email,\nA,1,,\n', A1],
    ['spaces as they are', 'name,phone\n A ,1\n', '{"name":" A ","phone":"1"}'],
    ['odd headers as data', 'name,phone,__proto__\nA,1,x\n', '"__proto__":"x"}'],
    [
      'a named delimiter',
      'name;a,b|phone\nA|1\n',
      A1,
      ['--delimiter', '|', '--map', 'name;a\\,b=name'],
    ],
    ['a header with marks', '"a=b";Simu\nA;1\n', A1, ['--map', 'a\\=b=name,Simu=phone']],
  ])('%s', async (_name, content, wanted, args) => {
    const { code, text } = await runs.judge(content, 'team', args);
    expect([code, text]).toEqual([0, expect.stringContaining(wanted)]);
  });

  it('each column by the type of its property', async () => {
    const { text, code } = await runs.judge(
      'name;price;active\nA;8000;FALSE\nB;45,5;ndiyo\nC;1;0\n',
      'services',
    );
    expect(text).toContain('{"name":"A","price":8000,"active":false}');
    expect(text).toContain('{"name":"B","price":45.5,"active":true}');
    expect(text).toContain('{"name":"C","price":1,"active":false}');
    const orders = await runs.judge(
      'customer;service;amount;date;customFields;paid\nA;B;1;31/12/2026;"{""size"":""M""}";-5\nA;B;1;05/06/2026;;\nA;B;1;2026-02-28T08:00:00Z;;\n',
      'orders',
      ['--dates', 'dmy'],
    );
    expect(orders.text).toContain('"date":"2026-12-31","customFields":{"size":"M"},"paid":-5}');
    expect(orders.text).toContain('"date":"2026-06-05"');
    expect(orders.text).toContain('"date":"2026-02-28T08:00:00Z"');
    expect([code, orders.code]).toEqual([0, 0]);
  });

  it('only amounts as numbers, other text as text', async () => {
    const { text, code } = await runs.judge(
      'customer;service;amount;paid;date;qty\nA;B;1.000,50;1.000;2026-01-02;007\n',
      'orders',
      ['--decimal', ','],
    );
    expect(text).toContain(
      '{"customer":"A","service":"B","amount":1000.5,"paid":1000,"date":"2026-01-02","qty":"007"}',
    );
    expect(code).toBe(0);
  });

  it.each([
    ['ndjson', '{"name":"A","phone":"1","n":{"x":[1]}}\r\n\n{"name":"B","phone":"2"}'],
    [
      'json',
      '\ufeff[\n {"name":"A","phone":"1","t":"],{\\"\\\\"},\n\n {"name":"B","phone":"2"}\n]\n',
    ],
  ])('%s', async (end, content) => {
    const { text, code } = await runs.judge(content, 'team', [], end);
    expect(text).toContain('2 rows, 2 good, 0 bad');
    expect(code).toBe(0);
  });
});

describe('A dry run warns of', () => {
  it.each([
    [
      'a last row that is a sum',
      'customers',
      'name;phone\nA;0713\nJumla;4\n',
      'line 3: the last row looks like a sum ("Jumla")',
    ],
    [
      'a last row that adds up',
      'services',
      'name;price\nA;4000\nB;3000\nZote;7000\n',
      'line 4: the last row looks like a sum (price is 7000',
    ],
    [
      'equal rows',
      'team',
      `${TEAM}A,01\nB,02\nA,01\nA,01\n`,
      'line 4: 2 rows are equal to an earlier one',
    ],
    [
      'a lost zero',
      'team',
      `${TEAM}A,0713445210\nB,713445210\n`,
      'line 3: 1 telephone numbers begin with neither 0 nor + ("713445210")',
    ],
  ])('%s', async (_name, into, content, wanted) => {
    const { code, text } = await runs.judge(content, into);
    expect([code, text]).toEqual([0, expect.stringContaining(`warning: ${wanted}`)]);
  });

  it('nothing in rows that are as they should be', async () => {
    const { text } = await runs.judge(
      'name;phone\nJumla;+2557\nTotal Energies Ltd;0713\nZ;1\n',
      'team',
    );
    expect(text).not.toContain('warning');
  });
});

it('A dry run of a file of 40 MB uses bounded memory', async () => {
  const path = join(runs.folder, 'large.csv');
  const row = `${'n'.repeat(780)},0713000000\n`;
  await writeFile(path, TEAM + row.repeat(50_000));
  const run = await startDataCommand(
    ['import', path, '--account', 'a', '--into', 'team', '--dry-run'],
    // Too little for the file's text.
    { NODE_OPTIONS: '--max-old-space-size=40' },
  ).ended;
  expect(run.stdout).toContain('50000 rows, 50000 good, 0 bad');
  expect(run.code).toBe(0);
}, 120_000);
