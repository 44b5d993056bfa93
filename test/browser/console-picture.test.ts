// The picture of the console on the front page: made here, so that it shows the
// console as it is.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import type { Status } from '../../src/hosts/operations/status.js';
import { startChromium } from '../support/console-browser.js';
import { ADMIN_KEY, openConsole, portOf } from '../support/console-visitor.js';
import { FILL_COLUMNS } from '../support/database-file.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { onLoopback } from '../support/loopback.js';
import { operationsOf } from '../support/operations.js';
import { startServer } from '../support/server-process.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const PICTURE = fileURLToPath(new URL('../../src/tools/console/overview.png', import.meta.url));
const PICTURE_MAX_BYTES = 150_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MINUTES = 60;
const DAYS = 60;
const SHOPS = 48;
/** Positions of one collection begin so far after those of the collection before. */
const POSITIONS_APART = 100_000;

/** How many records of the collections in the picture, and their properties beside id and owner, in SQL. */
const RECORDS: Partial<Record<CollectionName, readonly [count: number, properties: string]>> = {
  businesses: [
    SHOPS,
    `'businessName', ${oneOf('Mwangaza Salon', 'Upendo Tailoring', 'Kariakoo Phone Repair', 'Bahari Beauty')} || ' ' || i,
     'phone', '+255 754 210 ' || (100 + i), 'primaryTemplate', 'salon', 'templateVersion', 1`,
  ],
  customers: [
    2_310,
    `'name', ${oneOf('Neema Mushi', 'Juma Ally', 'Rehema Mwakyusa', 'Baraka Kileo', 'Zawadi Temu')},
     'phone', '+255 713 ' || (100000 + i), 'location', ${oneOf('Mikocheni', 'Kariakoo', 'Ubungo')}`,
  ],
  services: [
    412,
    `'name', ${oneOf('Box braids', 'Wash and blow-dry', 'Trouser hem', 'Screen repair')},
     'price', 5000 * (1 + i % 17), 'category', ${oneOf('Hair', 'Hair', 'Tailoring', 'Repair')}`,
  ],
  orders: [
    5_640,
    `'customer', ${oneOf('Neema Mushi', 'Juma Ally', 'Rehema Mwakyusa', 'Baraka Kileo', 'Zawadi Temu')},
     'service', ${oneOf('Box braids', 'Wash and blow-dry', 'Trouser hem', 'Screen repair')},
     'amount', 5000 * (1 + i % 17), 'paid', 5000 * (1 + i % 17), 'status', 'Ready',
     'method', ${oneOf('M-Pesa', 'Cash', 'Airtel Money')}, 'assignee', 'Asha Komba'`,
  ],
  team: [
    131,
    `'name', ${oneOf('Asha Komba', 'Hamisi Ngowi')}, 'role', ${oneOf('Stylist', 'Tailor')}`,
  ],
  expenses: [
    1_274,
    `'description', ${oneOf('Hair extensions, 20 packs', 'Electricity (LUKU tokens)', 'Thread and zips')},
     'amount', 500 * (20 + i % 90), 'method', ${oneOf('M-Pesa', 'Cash')}`,
  ],
};

it('The front page’s picture shows the overview of a busy service, and is small', async () => {
  const identity = await openIdentityStub();
  const folder = await openTemporaryFolder();
  const file = join(folder.path, 'filled.db');
  await (await startServer({ DATABASE_URL: `file:${file}` })).stop();
  await runSql(file, ...COLLECTION_NAMES.flatMap(insert), FILL_COLUMNS);
  const server = await startServer({
    DATABASE_URL: `file:${file}`,
    ADMIN_API_KEY: ADMIN_KEY,
    AUTH_USERINFO_URL: identity.url,
    BACKUP_DIR: folder.path,
    OPS_PORT: '0',
  });
  const hour = await openBusyHour(operationsOf(server));
  const running = await openConsole({
    SERVICE_URL: `${server.origin}/api/v1`,
    ...portOf(hour.origin),
  });
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(running.origin);
    await page.getByLabel('Code').fill(running.codes.at(-1) ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Last hour' }).waitFor();
    expect(await page.getByText('Healthy').isVisible()).toBe(true);
    expect(await page.locator('.plot rect').count()).toBeGreaterThan(50);
    await page.screenshot({ path: PICTURE });
    expect(readFileSync(PICTURE).length).toBeLessThan(PICTURE_MAX_BYTES);
  } finally {
    await browser.close();
    await running.close();
    await hour.close();
    await server.stop();
    await identity.close();
    await folder.remove();
  }
}, 120_000);

/** The operations port of a service, as if it had been busy for an hour: nobody waits for one here. */
function openBusyHour(url: string) {
  return onLoopback(
    createServer(async (_, response) => {
      const status = (await (await fetch(`${url}/status`)).json()) as Status;
      const now = Date.now();
      const last_hour = Array.from({ length: MINUTES }, (_, minute) => ({
        from: new Date(now - (MINUTES - minute) * MINUTE_MS).toISOString(),
        to: new Date(now - (MINUTES - minute - 1) * MINUTE_MS).toISOString(),
        requests: 90 + ((minute * 37) % 61) + Math.round(40 * Math.sin(minute / 9)),
        failed: 0,
        p95_seconds: minute % 7 === 3 ? 0.01 : 0.005,
      }));
      response.end(JSON.stringify({ ...status, last_hour }));
    }),
  );
}

/** More of them the nearer the time is to now. */
function insert(collection: CollectionName, index: number): string[] {
  const wanted = RECORDS[collection];
  if (wanted === undefined) return [];
  const [count, properties] = wanted;
  const id = `'${COLLECTIONS[collection].idPrefix}' || (100000 + i)`;
  const left = `(1.0 - i * 1.0 / ${count})`;
  const age = `${DAYS * DAY_MS} * (0.4 * ${left} + 0.6 * ${left} * ${left})`;
  const at = `cast(${Date.now()} - ${age} as integer)`;
  return [
    `
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into records (position, collection, id, body, created_at, updated_at)
    select ${(index + 1) * POSITIONS_APART} + i, '${collection}', ${id},
           json_object('id', ${id}, 'owner_sub', 'auth0|shop-' || (i % ${SHOPS}), ${properties}),
           ${at}, ${at}
      from n`,
  ];
}

/** One of the texts for each record, in turn. The texts have no quotes. */
function oneOf(...texts: readonly string[]): string {
  return `(case i % ${texts.length} ${texts.map((text, index) => `when ${index} then '${text}'`).join(' ')} end)`;
}
