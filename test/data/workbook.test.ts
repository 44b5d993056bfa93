// Workbooks as real programs write them: dry run, import, export and re-import. The files in
// `workbooks/` are made by its `make.py`; the others have what only some programs write.

import { readFile } from 'node:fs/promises';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { dataService } from '../support/data-service.js';

const service = dataService();
let serial = 0;

/** A file of `workbooks/`, or the XML of the cells of the second row, below the header. */
type Given = { readonly file: string } | { readonly cells: string; readonly prefix?: string };

const fixture = (file: string) => readFile(new URL(`workbooks/${file}.xlsx`, import.meta.url));
const sheet = (name: string) => ['--sheet', name];

async function run(given: Given, account: string, args: string[]) {
  const isFile = 'file' in given;
  const content = await (isFile ? fixture(given.file) : workbook(given.cells, given.prefix));
  const file = await service.file(`b${++serial}.xlsx`, content);
  const of = isFile ? [] : sheet('Maagizo');
  return service.run(['import', file, '--account', account, '--into', 'orders', ...of, ...args]);
}

const dryRun = async (given: Given, ...args: string[]) => {
  const { code, stdout, stderr } = await run(given, 'shop', [...args, '--dry-run']);
  return { code, text: stdout + stderr };
};

const WRITERS = ['openpyxl', 'xlsxwriter', 'libreoffice'];
const FILES = WRITERS.flatMap((name) => [name, `${name}-1904`]);

describe.each(FILES)('A workbook of %s', (file) => {
  it('passes dry run, import, export and re-import, and every cell is read as shown', async () => {
    const result = await dryRun({ file }, ...sheet('Maagizo'));
    expect(result).toMatchObject({ code: 0 });
    const hidden = '1 hidden or filtered row among them; --skip-hidden leaves such rows out';
    expect(result.text).toContain(`4 rows, 4 good, 0 bad, ${hidden}`);
    expect(result.text).toContain('warning: line 2: note has invisible characters');
    expect((await run({ file }, file, [...sheet('Maagizo'), '--in-order'])).code).toBe(0);
    const names = ['customer', 'phone', 'service', 'amount', 'paid', 'date', 'duration', 'note'];
    const wanted = [
      ['Neema', '0713445210', 'Kusuka', 45_000, 20_000.5, '2026-12-31', '3:00', '\u200bVIP'],
      ['Zawadi', '0713445211', 'Rangi', 3_000, 2_750, '2026-12-31T14:30:00+03:00', '27:00', true],
      ['Asha', '+255754000111', 'Osha', 45_000, 0, '2026-12-31', '90:00'],
      ['Rehema', '255713445212', 'Kusuka', 1_500, 0, undefined, undefined, 'imefichwa'],
    ].map((cells) => {
      const given = names.map((name, at) => [name, cells[at]]);
      return { ...Object.fromEntries(given), status: 'New', currency: 'TZS' };
    });
    expect(await service.contents(file, 'orders')).toEqual(wanted);
    const to = service.at(`out-${file}`);
    await service.run(['export', '--account', file, '--to', to, '--excel', '--delimiter', ';']);
    const again = await service.run(['import', to, '--account', `${file}-again`, '--in-order']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(await service.contents(`${file}-again`, 'orders')).toEqual(wanted);
    const skipped = await run({ file }, file, [...sheet('Maagizo'), '--existing', 'skip']);
    expect(skipped.stdout).toContain('0 records created');
  });

  it('is imported without its hidden rows with --skip-hidden', async () => {
    const { text } = await dryRun({ file }, ...sheet('Maagizo'), '--skip-hidden');
    expect(text).toContain('3 rows, 3 good, 0 bad, 1 hidden or filtered row left out');
  });

  it('is refused if cells are merged', async () => {
    const { code, text } = await dryRun({ file }, ...sheet('Zilizounganishwa'));
    const merged = 'line 3, column "customer": the cell is merged with line 2, column 1; unmerge';
    expect([code, text]).toEqual([1, expect.stringContaining(`${merged}`)]);
    expect(text).toContain('2 rows, 1 good, 1 bad');
  });

  it('is refused if a formula has an error or no result', async () => {
    const { code, text } = await dryRun({ file }, ...sheet('Fomula'));
    expect(code).toBe(1);
    for (const line of [2, 3]) expect(text).toContain(`line ${line}, column "paid": the formula`);
    // A library that only writes files computes no results.
    const isComputed = !file.startsWith('openpyxl');
    expect(text.includes('line 2, column "amount": the formula has no result')).toBe(!isComputed);
  });
});

describe('A cell', () => {
  const first = (text: string) => /line 2: (\{.*\})/.exec(text)?.[1] ?? text;

  it.each([
    ['with more than 15 digits', '<v>3000.0000000000005</v>', '"paid":3000}'],
    ['with a formula', '<f>B1*2</f><v>5</v>', '"paid":5}'],
    ['with a comment before a result', '<!-- x --><f>B1*2</f><v>5</v>', '"paid":5}'],
  ])('%s is read', async (_name, content, wanted) => {
    const { text } = await dryRun({ cells: `${AMOUNT}<c r="E2">${content}</c>` });
    expect(first(text)).toContain(wanted);
  });

  it.each([
    ['a day alone', 1, 46_387.6, '"date":"2026-12-31"'],
    ['a time, also at midnight', 4, 46_387, '"date":"2026-12-31T00:00:00+03:00"'],
  ])('whose format shows %s is read that way', async (_name, style, value, wanted) => {
    const { text } = await dryRun({ cells: `${AMOUNT}<c r="F2" s="${style}"><v>${value}</v></c>` });
    expect(first(text)).toContain(wanted);
  });

  it('of a telephone number is empty if its formula results in an empty text', async () => {
    const phone = '<c r="B2" t="str"><f>IF(A1="",1,"")</f><v></v></c>';
    const { code, text } = await dryRun({ cells: AMOUNT + phone });
    expect([code, first(text)]).toEqual([0, '{"customer":"A","service":"B","amount":1}']);
  });

  it.each([
    ['an error in single quotes', "<c r='E2' t='e'><f>1/0</f><v>#DIV/0!</v></c>", 'has an error'],
    ['an error without a text', '<c r="E2" t="e"><f>1/0</f></c>', 'has an error'],
    ['a formula with an empty result', '<c r="E2"><f>B1*2</f><v></v></c>', 'has no result'],
    ['a typed formula without result', '<c r="E2" t="n"><f>B1*2</f></c>', 'has no result'],
    ['a text formula without result', '<c r="E2" t="str"><f>B1*2</f></c>', 'has no result'],
    ['a comment before a formula', '<c r="E2"><!-- x --><f>B1*2</f></c>', 'has no result'],
    ['an array formula', '<c r="E2"><f t="array" ref="E2:E3">B1:B2</f></c>', 'has no result'],
    ['an error and prefixes', '<x:c r="E2" t="e"><x:f>1/0</x:f></x:c>', 'has an error'],
    ['a formula and prefixes', '<x:c r="E2"><x:f>B1*2</x:f></x:c>', 'has no result'],
  ])('with %s is refused', async (_name, cell, wanted) => {
    const prefix = cell.startsWith('<x:') ? 'x' : '';
    const row = prefix === '' ? AMOUNT : AMOUNT.replace(/<(\/?)(?=\w)/g, '<$1x:');
    const { code, text } = await dryRun({ cells: row + cell, prefix });
    const sentence = `line 2, column "paid": the formula ${wanted}`;
    expect([code, text]).toEqual([1, expect.stringContaining(sentence)]);
  });
});

describe('A workbook is refused', () => {
  it.each<[string, string, string]>([
    ['with several sheets', '', 'has the sheets "Maagizo", "Zilizounganishwa", "Fomula"; pass'],
    ['without the named sheet', '--sheet x', 'and no sheet "x"; pass --sheet'],
  ])('%s', async (_name, args, wanted) => {
    const { code, text } = await dryRun({ file: 'openpyxl' }, ...args.split(' ').filter(Boolean));
    expect([code, text]).toEqual([1, expect.stringContaining(wanted)]);
  });

  it('with XML that no spreadsheet program writes, so that no cell is missed', async () => {
    const { code, text } = await dryRun({ cells: `${AMOUNT}<c\n r="E2"><v>5</v></c>` });
    expect([code, text]).toEqual([1, expect.stringContaining('(unusual line breaks')]);
  });

  it('that unpacks to too many bytes', async () => {
    const { code, text } = await dryRun({ cells: AMOUNT + ' '.repeat(48 * 1_048_576) });
    expect([code, text]).toEqual([
      1,
      expect.stringContaining('unpacks to more than 50331648 bytes'),
    ]);
  });

  it('that is damaged, or not a workbook', async () => {
    for (const [content, wanted] of [
      ['PK\u0003\u0004 and no more', 'cannot be read as a workbook'],
      ['customer,service,amount', 'is not a workbook; save it as .xlsx'],
    ] as const) {
      const file = await service.file(`b${++serial}.xlsx`, content);
      const words = ['import', file, '--account', 'a', '--into', 'orders', '--dry-run'];
      const stderr = expect.stringContaining(wanted);
      expect(await service.run(words)).toMatchObject({ code: 1, stderr });
    }
  });
});

/** The cells of a row: a customer, a service and an amount. */
const AMOUNT =
  '<c r="A2" t="inlineStr"><is><t>A</t></is></c><c r="C2" t="inlineStr"><is><t>B</t></is></c><c r="D2"><v>1</v></c>';

/** openpyxl's file with another first sheet. */
async function workbook(cells: string, prefix = ''): Promise<Buffer> {
  const p = prefix && `${prefix}:`;
  const space = `xmlns${prefix && ':'}${prefix}="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`;
  const header = ['customer', 'phone', 'service', 'amount', 'paid', 'date'].map(
    (name, at) =>
      `<${p}c r="${'ABCDEF'[at]}1" t="inlineStr"><${p}is><${p}t>${name}</${p}t></${p}is></${p}c>`,
  );
  const rows = [header.join(''), cells].map((row, at) => `<${p}row r="${at + 1}">${row}</${p}row>`);
  const sheet = `<${p}worksheet ${space}><${p}sheetData>${rows.join('')}</${p}sheetData></${p}worksheet>`;
  const files = unzipSync(await fixture('openpyxl'));
  return Buffer.from(zipSync({ ...files, 'xl/worksheets/sheet1.xml': strToU8(sheet) }));
}
