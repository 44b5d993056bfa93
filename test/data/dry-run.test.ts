// `import --dry-run`: messy files, judged row by row, each finding with its place.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataCommand, dataCommandHere } from '../support/data-command.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

let folder: TemporaryFolder;
let serial = 0;

beforeAll(async () => {
  folder = await openTemporaryFolder();
});
afterAll(() => folder.remove());

async function judge(content: string | Uint8Array, into: string, args: string[] = [], end = 'csv') {
  const path = join(folder.path, `f${++serial}.${end}`);
  await writeFile(path, content);
  // No key, no service: a dry run needs neither.
  const run = await dataCommandHere(
    ['import', path, '--account', 'shop', '--into', into, '--dry-run', ...args],
    {},
  );
  const { code, stdout, stderr } = run;
  return { code, text: (stdout + stderr).replaceAll(`${folder.path}/`, '') };
}

function windows1252(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

const TEAM = 'name,phone\n';

describe('A dry run reads', () => {
  it.each<[string, string | Uint8Array, string[], string]>([
    ['a comma', 'name,phone\nA,0713\n', [], '{"name":"A","phone":"0713"}'],
    ['a semicolon', 'name;phone\nA;+255\n', [], '{"name":"A","phone":"+255"}'],
    ['a tab', 'name\tphone\nA\t1\n', [], '{"name":"A","phone":"1"}'],
    ["Excel's sep=", 'sep=|\r\nname|phone\r\nA|1\r\n', [], 'line 3: {"name":"A","phone":"1"}'],
    ['a byte order mark', '\ufeffname,phone\nA,1\n', [], '{"name":"A","phone":"1"}'],
    [
      'Windows-1252',
      windows1252('name,phone\nZo\xeb \x80,1\n'),
      [],
      '{"name":"Zoë €","phone":"1"}',
    ],
    [
      'UTF-16',
      Buffer.from('\ufeffname,phone\nZoë,1\n', 'utf16le'),
      [],
      '{"name":"Zoë","phone":"1"}',
    ],
    ['quoted newlines', 'name,phone\n"A\r\nB",1\nC,2\n', [], 'line 4: {"name":"C","phone":"2"}'],
    ['quoted marks', 'name,phone\n"A ""B"", C",1\n', [], '{"name":"A \\"B\\", C","phone":"1"}'],
    ['mixed line ends', 'name,phone\r\nA,1\nB,2\rC,3\r\n', [], '3 rows, 3 good'],
    ['empty lines', 'name,phone\n\nA,1\n\n\nB,2\n', [], 'line 6: {"name":"B","phone":"2"}'],
    [
      'rows of separators alone as empty lines',
      ';;\nname;phone;\n;;\nA;1;\n ; ;\n\n;;;;\n',
      ['--delimiter', ';'],
      '1 rows, 1 good, 0 bad, 5 empty lines skipped',
    ],
    ['no last line end', 'name,phone\nA,1', [], '1 rows, 1 good'],
    ['an empty column at the end', 'name,phone,\nA,1,\n', [], '{"name":"A","phone":"1"}'],
    ['empty cells as not given', 'name,phone,email\nA,1,\n', [], '{"name":"A","phone":"1"}'],
    ['spaces as they are', 'name,phone\n A ,1\n', [], '{"name":" A ","phone":"1"}'],
    ['odd headers as data', 'name,phone,__proto__\nA,1,x\n', [], '"__proto__":"x"}'],
    [
      'a named delimiter',
      'name;a,b|phone\nx|1\n',
      ['--delimiter', '|', '--map', 'name;a\\,b=name'],
      '{"name":"x","phone":"1"}',
    ],
    [
      'a header with marks',
      '"a=b";Simu\nx;1\n',
      ['--map', 'a\\=b=name,Simu=phone'],
      '{"name":"x","phone":"1"}',
    ],
  ])('%s', async (_name, content, args, wanted) => {
    const { code, text } = await judge(content, 'team', args);
    expect(text).toContain(wanted);
    expect(code).toBe(0);
  });

  it('only amounts as numbers, everything else as text', async () => {
    const { text, code } = await judge(
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
    const { text, code } = await judge(content, 'team', [], end);
    expect(text).toContain('2 rows, 2 good, 0 bad');
    expect(code).toBe(0);
  });
});

describe('A dry run refuses', () => {
  it.each<[string, string | Uint8Array, string]>([
    [
      'two headers of one name',
      'name,phone, name\nA,1,B\n',
      'line 1: columns 1 ("name") and 3 ("name") would both be the property "name"; rename one in the file',
    ],
    [
      'a quote that is never closed',
      `${TEAM}A,1\nB,"2\nC,3\n`,
      'line 3: a quotation mark in the row that begins here is never closed',
    ],
    [
      'a quote inside a value',
      `${TEAM}A,1\n5" pipe,2\n`,
      'line 3: a quotation mark in the row that begins here stands inside a value',
    ],
    [
      'text behind a quoted value',
      `${TEAM}"A" B,1\n`,
      'line 2: a quotation mark in the row that begins here stands inside',
    ],
    [
      'a missing column',
      'Jina;Simu\nA;1\n',
      'no column is name, nor phone, which team must have; the columns are "Jina", "Simu"; pass --map "HEADER=name,HEADER=phone"',
    ],
    [
      'an unclear delimiter',
      'name,a;phone\nA,b;1\n',
      'line 1: the delimiter could be "," or ";"; pass --delimiter',
    ],
    ['an empty file', '', 'is empty; name a file with rows'],
    ['a file of empty lines', '\n\n', 'the file has no header'],
    ['a workbook', Buffer.from('PK\u0003\u0004rest'), 'is a workbook; save it as CSV'],
  ])('%s, as a whole', async (_name, content, wanted) => {
    const { code, text } = await judge(content, 'team');
    expect(text).toContain(wanted);
    expect(code).toBe(1);
  });

  it.each<[string, string, string, string]>([
    [
      'a short row',
      'team',
      `${TEAM}A,1\nB\n`,
      'line 3, column "phone": the row has 1 values; the header has 2',
    ],
    [
      'a long row',
      'team',
      `${TEAM}"x\ny",1\nB,2,3\n`,
      'line 4, column "3": the row has 3 values; the header has 2 ("3")',
    ],
    [
      'an empty required value',
      'team',
      `${TEAM},1\n`,
      'line 2, column "name": name is missing; it must be a non-empty string',
    ],
    [
      'a value without a header',
      'team',
      'name,phone,\nA,1,x\n',
      'line 2, column "3": the value has no header above it ("x")',
    ],
    [
      'a NUL character',
      'team',
      `${TEAM}A\0B,1\n`,
      'line 2, column "name": the value has a NUL character',
    ],
    [
      'an unclear number',
      'services',
      'name,price\nA,1.000\n',
      'column "price": the value could be 1 or 1000; pass --decimal , or --decimal . ("1.000")',
    ],
    [
      'a telephone number that a spreadsheet ruined',
      'team',
      'name;phone\nA;7,54E+08\n',
      'line 2, column "phone": a spreadsheet has rounded this telephone number; write it in full, in a column whose format is text ("7,54E+08")',
    ],
    [
      'such a number that is optional, and has another header',
      'orders',
      'customer,service,amount,Simu\nA,B,1,2.55754E+11\n',
      'line 2, column "Simu": a spreadsheet has rounded this telephone number',
    ],
    [
      'a number that is none',
      'services',
      'name,price\nA,TZS 5\n',
      'column "price": the value is no number',
    ],
    [
      'a price of nothing',
      'services',
      'name,price\nA,0\n',
      'column "price": price is 0; it must be a number above 0 ("0")',
    ],
  ])('%s, with its line and column', async (_name, into, content, wanted) => {
    const args = content.includes('Simu') ? ['--map', 'Simu=phone'] : [];
    const { code, text } = await judge(content, into, args);
    expect(text).toContain(wanted);
    expect(code).toBe(1);
  });

  it.each<[string, string, string]>([
    ['ndjson', '{"name":"A","phone":"1"}\n{"name":"A"\n', 'line 2: the record is not JSON'],
    ['ndjson', '[]\n', 'line 1: the record is an array ('],
    [
      'ndjson',
      '{"name":1,"phone":""}\n',
      'column "name": name is 1; it must be a non-empty string',
    ],
    ['ndjson', '{"name":"A","phone":"1","x":1e999}', 'a number that is too large'],
    [
      'ndjson',
      `{"name":"A","phone":"1","x":"${'y'.repeat(1_048_576)}"}`,
      'longer than 1048576 bytes',
    ],
    ['json', '{"name":"A"}', 'line 1: the file is no JSON array; one record a line is .ndjson'],
    ['json', '[{"name":"A","phone":"1"}\n{}]', 'line 1: the record is not JSON'],
    ['json', '[{"name":"A","phone":"1"},,{}]', 'a comma is missing or one too many'],
    ['json', '[{"name":"A","phone":"1"}', 'the array does not end'],
    ['json', '[] []', 'something follows the array'],
  ])('wrong %s: %.40s', async (end, content, wanted) => {
    const { code, text } = await judge(content, 'team', [], end);
    expect(text).toContain(wanted);
    expect(code).toBe(1);
  });

  it('a byte that is not UTF-8 under --encoding utf-8, and names its line', async () => {
    const lines = `name,phone\n${'A,1\n'.repeat(40_000)}`;
    const content = Buffer.concat([
      Buffer.from(lines),
      Buffer.from([0x5a, 0xeb, 0x2c, 0x31, 0x0a]),
    ]);
    const { code, text } = await judge(content, 'team', ['--encoding', 'utf-8']);
    expect(text).toContain('line 40002: a byte is not UTF-8');
    expect(code).toBe(1);
    expect((await judge(content, 'team')).text).toContain('windows-1252 (line 40002 is not UTF-8');
  });

  it('numbers with two readings, told once with their number, beside other problems', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `S${i};2.${100 + i}\n`).join('');
    const { code, text } = await judge(`name;price\n${rows}X;\n`, 'services');
    expect(code).toBe(1);
    expect(text.match(/the value could be/g)).toHaveLength(1);
    expect(text).toContain('line 14, column "price": price is missing');
    expect(text).toContain('12 numbers have two readings: pass --decimal , or --decimal . for all');
    expect(text).not.toContain('more, all of them');
  });

  it('bad rows: all in the report, the first ten on the screen, and writes no other file', async () => {
    const report = join(folder.path, 'report.csv');
    const rows = Array.from({ length: 12 }, (_, i) => `=cmd${i},\n`).join('');
    const before = await readdir(folder.path);
    const { code, text } = await judge(`${TEAM}${rows}`, 'team', ['--report', report]);
    expect(code).toBe(1);
    expect(text).toContain('12 rows, 0 good, 12 bad');
    expect(text.match(/phone is missing/g)).toHaveLength(10);
    expect(text).toContain(`and 2 more, all of them in`);
    const lines = (await readFile(report, 'utf8')).split('\r\n');
    expect(lines[0]).toBe('\ufefffile,line,column,problem,value');
    expect(lines).toHaveLength(14);
    expect((await readdir(folder.path)).length).toBe(before.length + 2);
  });
});

it('A dry run of a file of 40 MB uses bounded memory', async () => {
  const path = join(folder.path, 'large.csv');
  const row = `${'n'.repeat(780)},0713000000\n`;
  await writeFile(path, TEAM + row.repeat(50_000));
  const run = await dataCommand(
    ['import', path, '--account', 'a', '--into', 'team', '--dry-run'],
    // Too little for the file's text.
    { NODE_OPTIONS: '--max-old-space-size=40' },
  );
  expect(run.stdout).toContain('50000 rows, 50000 good, 0 bad');
  expect(run.code).toBe(0);
}, 120_000);
