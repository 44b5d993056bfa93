// `import --dry-run`: what it refuses, and how it says so.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DryRuns, openDryRuns } from '../support/data-command.js';

let runs: DryRuns;

beforeAll(async () => {
  runs = await openDryRuns();
});
afterAll(() => runs.close());

const TEAM = 'name,phone\n';
const LONG = `{"name":"A","phone":"1","x":"${'y'.repeat(1_048_576)}"}`;
const NOT_CLOSED = 'a quotation mark in the row that begins here is never closed';
const SAME = 'line 1: columns 1 ("name") and 3 ("name") would both be the property "name"; rename';
const NO_COLUMN =
  'no column is name, nor phone, which team must have; the columns are "Jina", "Simu"; pass --map "HEADER=name,HEADER=phone"';

describe('A dry run refuses', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['two headers of one name', 'name,phone, name\nA,1,B\n', SAME],
    ['a quote that is never closed', `${TEAM}A,1\nB,"2\nC,3\n`, `line 3: ${NOT_CLOSED}`],
    [
      'a quote inside a value',
      `${TEAM}A,1\n5" pipe,2\n`,
      `line 3: ${NOT_CLOSED}, or stands inside`,
    ],
    ['text behind a quoted value', `${TEAM}"A" B,1\n`, `line 2: ${NOT_CLOSED}`],
    ['a missing column', 'Jina;Simu\nA;1\n', NO_COLUMN],
    ['an unclear delimiter', 'name,a;phone\nA,b;1\n', 'line 1: the delimiter could be "," or ";"'],
    ['an empty file', '', 'is empty; name a file with rows'],
    ['a file of empty lines', '\n\n', 'the file has no header'],
    ['a workbook', Buffer.from('PK\u0003\u0004rest'), 'a name that ends in .xlsx'],
  ])('%s, as a whole', async (_name, content, wanted) => {
    const { code, text } = await runs.judge(content, 'team');
    expect([code, text]).toEqual([1, expect.stringContaining(wanted)]);
  });

  it.each<[into: string, header: string, rows: string, ...wanted: string[]]>([
    [
      'team',
      'name,phone,',
      'A,1,\nB\n"x\ny",1,\nB,2,,3\n,1,\nA,1,x\nA\0B,1,\nA,"7,54E+08",\n',
      'line 3, column "phone": the row has 1 values; the header has 3',
      'line 6, column "4": the row has 4 values; the header has 3 ("3")',
      'line 7, column "name": name is missing; it must be a non-empty string',
      'line 8, column "3": the value has no header above it ("x")',
      'line 9, column "name": the value has a NUL character',
      'line 10, column "phone": a spreadsheet has rounded this telephone number; write it in full, in a column whose format is text ("7,54E+08")',
    ],
    [
      'services',
      'name,price,active',
      'A,1.000,\nA,TZS 5,\nA,1,perhaps\nA,0,\n',
      'column "price": the value could be 1 or 1000; pass --decimal , or --decimal . ("1.000")',
      'column "price": the value is not a number; it must be digits, without currency',
      'column "active": the value is neither yes nor no; it must be TRUE or FALSE ("perhaps")',
      'column "price": price is 0; it must be a number above 0 ("0")',
    ],
    [
      'expenses',
      'description,category,amount,date',
      'A,B,1,46387\nA,B,1,05/06/2026\nA,B,1,2026-02-30\n',
      'line 2, column "date": the value is not a date; it must be one such as 2026-12-31',
      'the value could be 2026-06-05 or 2026-05-06; pass --dates dmy or --dates mdy',
      'line 4, column "date": the value is not a date',
    ],
    [
      'orders',
      'customer,service,amount,Simu,customFields',
      'A,B,1,2.55754E+11,\nA,B,1,,size M\n',
      'line 2, column "Simu": a spreadsheet has rounded this telephone number',
      'column "customFields": the value is not a JSON object',
    ],
  ])('rows of %s, with line and column', async (into, header, rows, ...wanted) => {
    const args = header.includes('Simu') ? ['--map', 'Simu=phone'] : [];
    const { code, text } = await runs.judge(`${header}\n${rows}`, into, args);
    expect(code).toBe(1);
    for (const sentence of wanted) expect(text).toContain(sentence);
  });

  it.each<[string, string, string]>([
    ['ndjson', '{"name":"A","phone":"1"}\n{"name":"A"\n', 'line 2: the record is not JSON'],
    ['ndjson', '[]\n', 'line 1: the record is an array ('],
    ['ndjson', '{"name":1,"phone":""}\n', 'column "name": name is 1; it must be a non-empty'],
    ['ndjson', '{"name":"A","phone":"1","x":1e999}', 'a number that is too large'],
    ['ndjson', LONG, 'longer than 1048576 bytes'],
    ['json', '{"name":"A"}', 'line 1: the file is not a JSON array; one record a line is .ndjson'],
    ['json', '[{"name":"A","phone":"1"},{"phone":1e999}]', 'line 2: the record holds a number'],
    ['json', '[{"name":"A","phone":"1"}\n{}]', 'line 1: the file is not JSON'],
  ])('wrong %s: %.40s', async (end, content, wanted) => {
    const { code, text } = await runs.judge(content, 'team', [], end);
    expect([code, text]).toEqual([1, expect.stringContaining(wanted)]);
  });

  it('a byte that is not UTF-8 under --encoding utf-8, and names its line', async () => {
    const content = Buffer.from(`${TEAM}${'A,1\n'.repeat(40_000)}Z\xeb,1\n`, 'latin1');
    const { code, text } = await runs.judge(content, 'team', ['--encoding', 'utf-8']);
    expect([code, text]).toEqual([1, expect.stringContaining('line 40002: a byte is not UTF-8')]);
    const guessed = await runs.judge(content, 'team');
    expect(guessed.text).toContain('windows-1252 (line 40002 is not UTF-8');
  });

  it.each([
    [
      'price\n"45,000"\n120.000\n',
      'line 3, column "price": three decimals are most often thousands; write 120000, or 120 if',
    ],
    ['price\n"1,234.567"\n', 'write 1234567, or 1234.5670 if it is a fraction'],
    ['price,currency\n120.000,USD\n', 'line 2, column "price": three decimals'],
  ])('three decimals in an amount %j, whatever --decimal says', async (rows, wanted) => {
    const content = rows.replace('price', 'name,price').replace(/\n(?=.)/g, '\nA,');
    const { code, text } = await runs.judge(content, 'services', ['--decimal', '.']);
    expect([code, text]).toEqual([1, expect.stringContaining(wanted)]);
  });

  it('numbers with two readings, told once with their number, beside other problems', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `S${i};2.${100 + i}\n`).join('');
    const { code, text } = await runs.judge(`name;price\n${rows}X;\n`, 'services');
    expect(code).toBe(1);
    expect(text.match(/the value could be/g)).toHaveLength(1);
    expect(text).toContain('line 14, column "price": price is missing');
    expect(text).toContain('12 values have two readings: pass --decimal for all');
    expect(text).not.toContain('more, all of them');
  });

  it('bad rows: all in the report, the first ten on the screen, and writes no other file', async () => {
    const report = join(runs.folder, 'report.csv');
    const rows = Array.from({ length: 12 }, (_, i) => `=cmd${i},\n`).join('');
    const before = await readdir(runs.folder);
    const { code, text } = await runs.judge(`${TEAM}${rows}`, 'team', ['--report', report]);
    expect(code).toBe(1);
    expect(text).toContain('12 rows, 0 good, 12 bad');
    expect(text.match(/phone is missing/g)).toHaveLength(10);
    expect(text).toContain(`and 2 more, all in`);
    const lines = (await readFile(report, 'utf8')).split('\r\n');
    expect([lines[0], lines.length]).toEqual(['\ufefffile,line,column,problem,value', 14]);
    expect((await readdir(runs.folder)).length).toBe(before.length + 2);
  });
});
