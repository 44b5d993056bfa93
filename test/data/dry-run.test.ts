// `import --dry-run`: how files are read, what it refuses, and what it warns about.

import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runManage } from '../support/manage.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();

/** Needs neither a service nor its key. */
async function dryRun(
  content: string | Uint8Array,
  into: string,
  args: string[] = [],
  end = 'csv',
) {
  const file = folder.at(`f.${end}`);
  await writeFile(file, content);
  const words = ['import', file, '--account', 'shop', '--into', into, '--dry-run', ...args];
  const { code, stdout, stderr } = await runManage(words, {});
  return { code, text: stdout + stderr };
}

const TEAM = 'name,phone\n';
const ZOE = '\ufeffname,phone\nZoë,1\n';
const ZOE_1252 = Buffer.from('name,phone\nZo\xeb \x80,1\n', 'latin1');
const SEPARATORS = ';;\nname;phone;\n;;\nA;1;\n ; ;\n\n;;;;\n';
const APOSTROPHES = "name,phone,n\nA,'+255,''-- v\n";
const A1 = '{"name":"A","phone":"1"}';
const NDJSON = '{"name":"A","phone":"1","n":{"x":[1]}}\r\n\r\n{"name":"B","phone":"2"}';
const ARRAY =
  '\ufeff[\n {"name":"A","phone":"1","t":"],{\\"\\\\"},\n\n {"name":"1e999","phone":"2"}\n]\n';

describe('A dry run reads', () => {
  it.each<[string, string | Uint8Array, string, string[]?, string?]>([
    ['a semicolon', 'name;phone\nA;+255\n', '{"name":"A","phone":"+255"}'],
    ['a tab', 'name\tphone\nA\t1\n', A1],
    ["Excel's sep=", 'sep=|\r\nname|phone\r\nA|1\r\n', `line 3: ${A1}`],
    ['Windows-1252', ZOE_1252, 'windows-1252 (it is not UTF-8'],
    ['the letters of Windows-1252', ZOE_1252, '"Zoë €"'],
    ['UTF-16', Buffer.from(ZOE, 'utf16le'), 'line 2: {"name":"Zoë"'],
    ['UTF-16BE', Buffer.from(ZOE, 'utf16le').swap16(), 'line 2: {"name":"Zoë"'],
    ['a title above the header', 'SALUNI YA NEEMA;;\n\nname;phone;\nA;1;\n', `line 4: ${A1}`],
    ['one apostrophe less before a formula', APOSTROPHES, '"+255","n":"\'-- v"'],
    [
      'one apostrophe less before digits',
      "name,phone\n'80s,'0713\n",
      '"name":"\'80s","phone":"0713"',
    ],
    ['quoted newlines', 'name,phone\n"A\r\nB",1\nC,2\n', 'line 4: {"name":"C","phone":"2"}'],
    ['mixed line ends', 'name,phone\r\nA,1\nB,2\rC,3\r\n', '3 rows, 3 good'],
    ['empty lines', 'name,phone\n\nA,1\n\n\nB,2\n', 'line 6: {"name":"B","phone":"2"}'],
    ['separators alone', SEPARATORS, '1 good, 0 bad, 5 empty lines skipped', ['--delimiter', ';']],
    ['an empty column at the end, and empty cells', 'name,phone,email,\nA,1,,\n', A1],
    ['odd headers as data', 'name,phone,__proto__\nA,1,x\n', '"__proto__":"x"}'],
    ['a named delimiter', 'name|phone\nA|1\n', A1, ['--delimiter', '|']],
    ['a header with marks', '"a=b,c";Simu\nA;1\n', A1, ['--map', 'a\\=b\\,c=name,Simu=phone']],
    ['NDJSON', NDJSON, '2 rows, 2 good, 0 bad', [], 'ndjson'],
    ['JSON', ARRAY, '2 rows, 2 good, 0 bad', [], 'json'],
  ])('%s', async (_name, content, wanted, args, ending) => {
    const { code, text } = await dryRun(content, 'team', args, ending);
    expect([code, text]).toEqual([0, expect.stringContaining(wanted)]);
  });

  it.each<[into: string, content: string, ...wanted: string[]]>([
    [
      'services',
      'name;price;active\nA;8000;FALSE\nB;45,5;ndiyo\nC;1;0\n',
      '{"name":"A","price":8000,"active":false}',
      '{"name":"B","price":45.5,"active":true}',
      '{"name":"C","price":1,"active":false}',
    ],
    [
      'orders',
      'customer;service;amount;paid;date;customFields;qty\nA;B;1.000,50;-5;31/12/2026;"{""n"":1}";007\nA;B;1;1.000;05/06/2026;;\nA;B;1;;2026-02-28T08:00:00Z;;\n',
      '"amount":1000.5,"paid":-5,"date":"2026-12-31","customFields":{"n":1},"qty":"007"}',
      '"paid":1000,"date":"2026-06-05"',
      '"date":"2026-02-28T08:00:00Z"',
    ],
  ])('each column of %s by the type of its property', async (into, content, ...wanted) => {
    const { text, code } = await dryRun(content, into, ['--dates', 'dmy', '--decimal', ',']);
    expect(code).toBe(0);
    for (const record of wanted) expect(text).toContain(record);
  });
});

describe('A dry run warns about', () => {
  const MARKS = '\u202a\u202e\u200b\u200e\ufeff';
  it.each([
    [
      'a telephone number without its zero',
      'A,0713445210\nB,713445210\nC,1\n',
      'phone starts with',
    ],
    ['invisible characters', `A,1\n\u200bB,2\nC\u202e,3\n`, 'name has invisible characters'],
  ])('%s', async (_name, rows, wanted) => {
    const { code, text } = await dryRun(TEAM + rows, 'team');
    const warning = `warning: line 3: ${wanted}`;
    expect([code, text]).toEqual([0, expect.stringContaining(warning)]);
  });

  it('nothing in a telephone number or header whose invisible characters it removes', async () => {
    const { text } = await dryRun(`name,${MARKS}phone\nA,${MARKS}+255\u202c713\n`, 'team');
    expect(text).toContain('{"name":"A","phone":"+255713"}');
    expect(text).not.toContain('warning');
  });
});

const LONG = `{"name":"A","phone":"1","x":"${'y'.repeat(1_048_576)}"}`;
const NOT_CLOSED = 'a quotation mark in the row that starts here is never closed';
const SAME = 'line 1: columns 1 ("name") and 3 ("name") would both be the property "name"; rename';
const NO_COLUMN =
  'no column for name or phone, which team must have; the columns are "Jina", "Simu"; pass --map "HEADER=name,HEADER=phone"';

describe('A dry run refuses', () => {
  it.each<[string, string | Uint8Array, string, string[]?, string?]>([
    ['two headers of one name', 'name,phone, name\nA,1,B\n', SAME],
    ['a quote that is never closed', `${TEAM}A,1\nB,"2\nC,3\n`, `line 3: ${NOT_CLOSED}`],
    ['text behind a quoted value', `${TEAM}"A" B,1\n`, `line 2: ${NOT_CLOSED}`],
    ['a missing column', 'Jina;Simu\nA;1\n', NO_COLUMN],
    ['an empty file', '', 'is empty; name a file with rows'],
    ['a file of empty lines', '\n\n', 'has no header'],
    ['a workbook', Buffer.from('PK\u0003\u0004rest'), 'a name that ends in .xlsx'],
    ['a wrong --encoding', ZOE_1252, 'is not UTF-8; pass the right', ['--encoding', 'utf8']],
    ['half a record', `${A1}\n{"name":"A"\n`, 'line 2: the record is not JSON', [], 'ndjson'],
    ['a wrong name', '{"name":1,"phone":""}\n', '"name": name is 1; it must be a n', [], 'ndjson'],
    [
      '1e999',
      '{"name":"A","phone":"1","x":1e999}',
      'a number outside the range of double precision',
      [],
      'ndjson',
    ],
    ['a long record', LONG, 'longer than 1048576 bytes', [], 'ndjson'],
    ['JSON that is not UTF-8', Buffer.from([0xff, 10]), 'JSON must be UTF-8', [], 'ndjson'],
    [
      'a bad record of an array',
      `[${A1},\n\n{"name":"A"}]`,
      'record 2, column "phone"',
      [],
      'json',
    ],
    ['1e999 in an array', `[${A1},{"phone":1e999}]`, 'a number is too large', [], 'json'],
  ])('%s', async (_name, content, wanted, args, ending) => {
    const { code, text } = await dryRun(content, 'team', args, ending);
    expect([code, text]).toEqual([1, expect.stringContaining(wanted)]);
  });

  it('an unknown --encoding as a usage error', async () => {
    const { code, text } = await dryRun(TEAM, 'team', ['--encoding', 'utf8x']);
    expect([code, text]).toEqual([2, expect.stringContaining('it must be an encoding such as')]);
  });

  it.each<[into: string, header: string, rows: string, ...wanted: string[]]>([
    [
      'team',
      'name,phone,',
      'A,1,\nB\n"x\ny",1,\nB,2,,3\n,1,\nA,1,x\nA\0B,1,\nA,"7,54E+08",\n',
      'line 3, column "phone": the row has 1 value; the header has 3',
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
      'orders --map Simu=phone',
      'customer,service,amount,Simu,customFields',
      'A,B,1,2.55754E+11,\nA,B,1,,size M\n',
      'line 2, column "Simu": a spreadsheet has rounded this telephone number',
      'column "customFields": the value is not a JSON object',
    ],
  ])('rows of %s, with line and column', async (into, header, rows, ...wanted) => {
    const [name = '', ...args] = into.split(' ');
    const { code, text } = await dryRun(`${header}\n${rows}`, name, args);
    expect(code).toBe(1);
    for (const sentence of wanted) expect(text).toContain(sentence);
  });

  it('a long text, which it quotes without splitting an emoji', async () => {
    for (const first of ['', 'x']) {
      const name = `${first}${'💇'.repeat(700)}`;
      const report = folder.at(`emoji${first}.csv`);
      const { text } = await dryRun(`${TEAM}"${name}",1\nA,1,"${name}"\n`, 'team', [
        '--report',
        report,
      ]);
      expect(text).toContain('💇…');
      expect(text).not.toMatch(/\p{Cs}/u);
      expect(await readFile(report, 'utf8')).not.toContain('\ufffd');
    }
  });

  it('bad rows: all in the report, the first ten on the screen, and writes no other file', async () => {
    const report = folder.at('report.csv');
    const rows = Array.from({ length: 12 }, (_, i) => `=cmd${i},\n`).join('');
    const { code, text } = await dryRun(`${TEAM}${rows}`, 'team', ['--report', report]);
    expect(code).toBe(1);
    expect(text).toContain('12 rows, 0 good, 12 bad');
    expect(text.match(/phone is missing/g)).toHaveLength(10);
    expect(text).toContain(`and 2 more, all in`);
    const lines = (await readFile(report, 'utf8')).split('\r\n');
    expect([lines[0], lines.length]).toEqual(['\ufefffile,line,column,problem,value', 14]);
    expect((await readdir(folder.path)).sort()).toEqual(['f.csv', 'report.csv']);
  });
});

it('A file above the limit is refused before it is read', async () => {
  const path = folder.at('large.csv');
  await writeFile(path, '');
  await truncate(path, 32 * 1_048_576 + 1);
  const words = ['import', path, '--account', 'a', '--into', 'team', '--dry-run'];
  const { code, stderr } = await runManage(words, {});
  const sentence = 'has 33554433 bytes; the limit is 33554432; split it into several files';
  expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
});
