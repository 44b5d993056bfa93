// The picture of the console on the front page: made here, so that it shows the
// console as it is.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { COLLECTION_NAMES, type CollectionName } from '../../src/domain/collection-name.js';
import { COLLECTIONS } from '../../src/domain/collections.js';
import { browseConsole, oneProcess } from '../support/console-browser.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { startServer } from '../support/server-process.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const PICTURE = fileURLToPath(new URL('../../src/console/overview.png', import.meta.url));
const PICTURE_MAX_BYTES = 150_000;
const DAY_MS = 86_400_000;
const DAYS = 60;
/** Records of each collection, in the order of their names. */
const RECORDS = [640, 11_800, 2_900, 18_400, 1_500, 4_700];

it('The front page’s picture shows the overview of a busy service, and is small', async () => {
  const identity = await openIdentityStub(undefined, { seesStart: true });
  const folder = await openTemporaryFolder();
  const file = join(folder.path, 'filled.db');
  await (await startServer({ DATABASE_URL: `file:${file}` })).stop();
  await runSql(file, ...COLLECTION_NAMES.map(insert));
  const browsed = await browseConsole(oneProcess, {
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: identity.url,
  });
  try {
    const look = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const;
    const page = await browsed.signedIn(look);
    // The usage is asked in the background.
    for (;;) {
      const text = await page.locator('main').innerText();
      if (!text.includes('The service is counting')) break;
      await page.reload();
    }
    await page.screenshot({ path: PICTURE });
    expect(await page.getByText('The service is well').isVisible()).toBe(true);
    expect(readFileSync(PICTURE).length).toBeLessThan(PICTURE_MAX_BYTES);
  } finally {
    await browsed.close();
    await identity.close();
    await folder.remove();
  }
});

/** More of them the nearer the time is to now. */
function insert(collection: CollectionName, index: number): string {
  const records = RECORDS[index] ?? 1;
  const id = `'${COLLECTIONS[collection].idPrefix}' || (100000 + i)`;
  const at = `cast(${Date.now()} - ${DAYS * DAY_MS} * (1.0 - i * 1.0 / ${records}) * (1.0 - i * 1.0 / ${records}) as integer)`;
  return `
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${records})
    insert into records (position, collection, id, body, created_at, updated_at)
    select 100000 + i, '${collection}', ${id},
           json_object('id', ${id}, 'owner_sub', 'shop-' || (i % 613), 'name', 'Neema ' || i,
             'customer', 'Neema Mushi', 'service', 'Box braids', 'amount', 45000, 'phone', '+255 713 ' || i),
           ${at}, ${at}
      from n`;
}
