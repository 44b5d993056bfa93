// A salon's workbook comes in, goes out and comes back, and every number is the same.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DataService, openDataService } from '../support/data-service.js';
import { type WorkbookCell, type WorkbookSheet, workbook } from '../support/workbook.js';

vi.setConfig({ testTimeout: 120_000 });

let on: DataService;
let serial = 0;

beforeAll(async () => {
  on = await openDataService();
});
afterAll(() => on.close());

const day = (serial: number) => ({ serial, hasTime: false });
const moment = (serial: number) => ({ serial, hasTime: true });

const ORDERS: WorkbookSheet = {
  name: 'Maagizo',
  merged: ['A1:H1', 'A3:B3', 'C3:C4', 'D3:E3', 'F3:F4', 'G3:G4', 'H3:H4'],
  rows: [
    ['SALUNI YA NEEMA: MAAGIZO 2026'],
    [],
    ['Mteja', null, 'Huduma', 'Malipo', null, 'Tarehe', 'Idadi', 'Tayari'],
    ['Jina', 'Simu', null, 'Kiasi', 'Kulipwa', null, null, null],
    ['Neema Mushi', 713445210, 'Kusuka', 45_000, 20_000.5, day(46_387), 2, true],
    [
      'Zawadi Ally',
      '+255754000111',
      'Rangi',
      '45,000.00',
      0,
      moment(46_387.604166666664),
      null,
      false,
    ],
    ['Asha', 255713445210, 'Kusuka', 0.1 + 0.2, '1 250', '31/12/2026', 1.5, null],
    ['Rehema & <Co>', '0713', 'Osha', 120_000, 120_000, '2026-11-30', -3, null],
    ['Jumla', null, null, 210_000.3, 141_250.5, null, 0.5, null],
  ],
};
const CUSTOMERS: WorkbookSheet = {
  name: 'Wateja',
  rows: [
    ['name', 'phone'],
    ['Neema', '0713445210'],
  ],
};
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
    '5 rows, 4 good, 1 bad, 2 lines above the header left out, 1 empty lines skipped',
    'warning: line 9: the last row looks like a sum ("Jumla")',
    'warning: line 5: 2 telephone numbers begin with neither 0 nor + ("713445210")',
    'line 9, column "Huduma": service is missing',
  ]) {
    expect(judged.stdout).toContain(wanted);
  }
  const { stdout } = await imported(content, 'orders', [...args, '--skip-bad']);
  expect(stdout).toContain('4 records created');
  const shared = { status: 'New', currency: 'TZS' };
  const wanted = [
    {
      customer: 'Neema Mushi',
      phone: '713445210',
      service: 'Kusuka',
      amount: 45_000,
      paid: 20_000.5,
      date: '2026-12-31',
      Idadi: 2,
      Tayari: true,
    },
    {
      customer: 'Zawadi Ally',
      phone: '+255754000111',
      service: 'Rangi',
      amount: 45_000,
      paid: 0,
      date: '2026-12-31T14:30:00+03:00',
      Tayari: false,
    },
    {
      customer: 'Asha',
      phone: '255713445210',
      service: 'Kusuka',
      amount: 0.1 + 0.2,
      paid: 1250,
      date: '2026-12-31',
      Idadi: 1.5,
    },
    {
      customer: 'Rehema & <Co>',
      phone: '0713',
      service: 'Osha',
      amount: 120_000,
      paid: 120_000,
      date: '2026-11-30',
      Idadi: -3,
    },
  ].map((order) => ({ ...order, ...shared }));
  expect(await on.contents('saluni', 'orders')).toEqual(wanted);
  const to = on.at('out');
  await on.run(['export', '--account', 'saluni', '--to', to, '--excel', '--delimiter', ';']);
  const again = await on.run(['import', to, '--account', 'again', '--in-order']);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(await on.contents('again', 'orders')).toEqual(wanted);
});

describe('A workbook is refused', () => {
  const services = (...cells: WorkbookCell[]) => [
    { name: 'Bei', rows: [['name', 'price', 'active', 'date'], cells] },
  ];

  it.each<[string, Buffer, string[], string]>([
    [
      'with several sheets, and none named',
      workbook([ORDERS, CUSTOMERS]),
      [],
      'has the sheets "Maagizo", "Wateja"; pass --sheet',
    ],
    ['without the named sheet', workbook([CUSTOMERS]), ['--sheet', 'x'], 'and no sheet "x"'],
    [
      'that is damaged',
      Buffer.from('PK\u0003\u0004 and no more'),
      [],
      'cannot be read as a workbook',
    ],
    [
      'with a number as text in two readings',
      workbook(services('A', '1.000')),
      [],
      'line 2, column "price": the value could be 1 or 1000',
    ],
    [
      'with a day for a price',
      workbook(services('A', day(46_387))),
      [],
      'line 2, column "price": the value is not a number',
    ],
    [
      'with an error for a price',
      workbook(services('A', { formula: '1/0', error: '#DIV/0!' })),
      [],
      'line 2, column "price": the formula is an error',
    ],
    [
      'with a formula that has no result',
      workbook(services('A', { formula: 'B1*2' })),
      [],
      'line 2, column "price": the formula is an error, or has no result',
    ],
  ])('%s', async (_name, content, args, wanted) => {
    const { code, stdout, stderr } = await imported(content, 'services', [...args, '--dry-run']);
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(wanted)]);
  });

  it('where a day is only a number', async () => {
    const rows = [
      ['description', 'category', 'amount', 'date'],
      ['A', 'B', 1, 46_387],
    ];
    const content = workbook([{ name: 'x', rows }]);
    const { code, stdout } = await imported(content, 'expenses', ['--dry-run']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('column "date": the value is not a date'),
    ]);
  });
});

it('A workbook of 20,000 rows is read', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => [`Mteja ${i}`, `07${i}`]);
  const content = workbook([{ name: 'Wateja', rows: [['name', 'phone'], ...rows] }]);
  const file = await on.file('large.xlsx', content);
  const run = await on.runProcess([
    'import',
    file,
    '--account',
    'a',
    '--into',
    'team',
    '--dry-run',
  ]);
  expect([run.code, run.stdout]).toEqual([
    0,
    expect.stringContaining('20000 rows, 20000 good, 0 bad'),
  ]);
});
