// A salon's workbook comes in, goes out and comes back, and every number is the same.

import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { dataService } from '../support/data-service.js';

const on = dataService();
let serial = 0;

/** `xml`: attributes and content of a cell that is neither text, number nor boolean. */
type Cell = string | number | boolean | null | { readonly xml: string };
type Sheet = { readonly name: string; readonly rows: readonly (readonly Cell[])[] };

/** `serial`: days since the end of 1899. The styles are below. */
const day = (serial: number) => ({ xml: ` s="1"><v>${serial}</v>` });
const moment = (serial: number) => ({ xml: ` s="2"><v>${serial}</v>` });

const ORDERS: Sheet = {
  name: 'Maagizo',
  rows: [
    ['SALUNI YA NEEMA: MAAGIZO 2026'],
    [],
    ['Mteja', null, 'Huduma', 'Malipo', null, 'Tarehe', 'Idadi', 'Tayari'],
    ['Jina', 'Simu', null, 'Kiasi', 'Kulipwa', null, null, null],
    ['Neema Mushi', 713445210, 'Kusuka', 45_000, 20_000.5, day(46_387), 2, true],
    ['Zawadi', '+255754000111', 'Rangi', '45,000.00', 0, moment(46_387.604166666664), null, false],
    ['Asha', 255713445210, 'Kusuka', 0.1 + 0.2, '1 250', '31/12/2026', 1.5, null],
    ['Rehema & <Co>', '0713', 'Osha', 120_000, 120_000, '2026-11-30', -3, null],
    ['Jumla', null, null, 210_000.3, 141_250.5, null, 0.5, null],
  ],
};
const CUSTOMERS: Sheet = { name: 'Wateja', rows: [['name'], ['Neema']] };
const MAP = [
  '--map',
  'Jina=customer,Simu=phone,Huduma=service,Kiasi=amount,Kulipwa=paid,Tarehe=date',
];

async function imported(content: Buffer, into: string, args: string[]) {
  const file = await on.file(`b${++serial}.xlsx`, content);
  return on.run(['import', file, '--account', 'saluni', '--into', into, ...args]);
}

it("A salon's workbook goes through dry run, import, export and import, and every value is kept", async () => {
  const args = [...MAP, '--sheet', 'Maagizo', '--in-order'];
  const content = workbook([ORDERS, CUSTOMERS]);
  const judged = await imported(content, 'orders', [...args, '--dry-run']);
  expect(judged.code).toBe(1);
  for (const wanted of [
    'sheet "Maagizo", into orders',
    '5 rows, 4 good, 1 bad, 2 lines above the header left out, 1 empty line skipped',
    'warning: line 9: the last row looks like a sum ("Jumla")',
    'warning: line 5: a telephone number begins with neither 0 nor + ("713445210", 2 in all)',
    'line 9, column "Huduma": service is missing',
  ]) {
    expect(judged.stdout).toContain(wanted);
  }
  const { stdout } = await imported(content, 'orders', [...args, '--skip-bad']);
  expect(stdout).toContain('4 records created');
  const names = ['customer', 'phone', 'service', 'amount', 'paid', 'date', 'Idadi', 'Tayari'];
  const time = '2026-12-31T14:30:00+03:00';
  const wanted = [
    ['Neema Mushi', '713445210', 'Kusuka', 45_000, 20_000.5, '2026-12-31', 2, true],
    ['Zawadi', '+255754000111', 'Rangi', 45_000, 0, time, undefined, false],
    ['Asha', '255713445210', 'Kusuka', 0.1 + 0.2, 1250, '2026-12-31', 1.5, undefined],
    ['Rehema & <Co>', '0713', 'Osha', 120_000, 120_000, '2026-11-30', -3, undefined],
  ].map((cells) => {
    const given = names.map((name, at) => [name, cells[at]]);
    return { ...Object.fromEntries(given), status: 'New', currency: 'TZS' };
  });
  expect(await on.contents('saluni', 'orders')).toEqual(wanted);
  const to = on.at('out');
  await on.run(['export', '--account', 'saluni', '--to', to, '--excel', '--delimiter', ';']);
  const again = await on.run(['import', to, '--account', 'again', '--in-order']);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(await on.contents('again', 'orders')).toEqual(wanted);
});

describe('A workbook is refused', () => {
  const services = (...cells: Cell[]) => [
    { name: 'Bei', rows: [['name', 'price', 'active', 'date'], cells] },
  ];
  const formula = (text: string) => services('A', { xml: `><f>${text}</f>` });
  const error = services('A', { xml: ' t="e"><f>1/0</f><v>#DIV/0!</v>' });
  const two = [ORDERS, CUSTOMERS];
  const broken = Buffer.from('PK\u0003\u0004 and no more');
  const price = 'line 2, column "price": the';
  it.each<[string, Buffer | Sheet[], string, string[]?]>([
    ['with several sheets', two, 'has the sheets "Maagizo", "Wateja"; pass --sheet'],
    ['without the named sheet', [CUSTOMERS], 'and no sheet "x"', ['--sheet', 'x']],
    ['that is damaged', broken, 'cannot be read as a workbook'],
    ['with two readings', services('A', '1.000'), `${price} value could be 1 or 1000`],
    ['with a day for a price', services('A', day(46_387)), `${price} value is not a number`],
    ['with an error', error, `${price} formula is`],
    ['with no result', formula('B1*2'), `${price} formula is an error, or has`],
  ])('%s', async (_name, given, wanted, args = []) => {
    const content = Buffer.isBuffer(given) ? given : workbook(given);
    const { code, stdout, stderr } = await imported(content, 'services', [...args, '--dry-run']);
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(wanted)]);
  });
});

it('A workbook of 20,000 rows is read', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => [`Mteja ${i}`, `07${i}`]);
  const content = workbook([{ name: 'Wateja', rows: [['name', 'phone'], ...rows] }]);
  const { stdout } = await imported(content, 'team', ['--dry-run']);
  expect(stdout).toContain('20000 rows, 20000 good, 0 bad');
});

/** A workbook as spreadsheet programs write it: typed cells, styles for dates. */
function workbook(sheets: readonly Sheet[]): Buffer {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const names = sheets.map(
    ({ name }, i) => `<sheet name="${name}" sheetId="${i}" r:id="worksheet${i}"/>`,
  );
  const relations = (...each: [type: string, number: number | '', target: string][]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.map(
      ([type, number, target]) =>
        `<Relationship Id="${type}${number}" Type="${office}/${type}" Target="${target}"/>`,
    )}</Relationships>`;
  // Of `cellXfs`: 0 plain, 1 a day, 2 a day with its time.
  const styles = [0, 14, 22].map((format) => `<xf numFmtId="${format}" applyNumberFormat="1"/>`);
  const files: Record<string, string> = {
    '_rels/.rels': relations(['officeDocument', '', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook ${main} xmlns:r="${office}"><sheets>${names.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...sheets.map((_, i) => ['worksheet', i, `worksheets/${i}.xml`] as [string, number, string]),
      ['styles', '', 'styles.xml'],
    ),
    'xl/styles.xml': `<styleSheet ${main}><cellXfs count="3">${styles.join('')}</cellXfs></styleSheet>`,
  };
  for (const [i, { rows }] of sheets.entries()) {
    const body = rows.map((cells, row) => {
      const each = cells.map((cell, at) => xmlOf(cell, `<c r="${'ABCDEFGH'[at]}${row + 1}"`));
      return `<row r="${row + 1}">${each.join('')}</row>`;
    });
    files[`xl/worksheets/${i}.xml`] =
      `<worksheet ${main}><sheetData>${body.join('')}</sheetData></worksheet>`;
  }
  const bytes = Object.entries(files).map(([name, text]) => [name, strToU8(text)]);
  return Buffer.from(zipSync(Object.fromEntries(bytes)));
}

function xmlOf(cell: Cell, head: string): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return `${head}${cell.xml}</c>`;
  if (typeof cell === 'number') return `${head}><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `${head} t="b"><v>${Number(cell)}</v></c>`;
  const text = cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `${head} t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}
