// The floors that read a database file without the service: SQLite's own reading of it, which a
// start cannot do without, and a bare scan over the records' texts.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

const [task, file = '', ...needles] = process.argv.slice(2);
const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });

/** Milliseconds that SQLite itself takes to check the file and to read every body; no row is returned. */
async function readingTime() {
  const start = performance.now();
  await client.execute('pragma quick_check');
  await client.execute('select total(length(body)) from records');
  return performance.now() - start;
}

async function allRows() {
  const { rows } = await client.execute(
    'select position, collection, id, body, created_at, updated_at from records order by position',
  );
  return rows;
}

/** Milliseconds of each of several scans that count the texts with this needle. */
function scanTimes(/** @type {readonly string[]} */ texts, /** @type {string} */ needle) {
  const times = [];
  let matches = 0;
  for (let round = 0; round < 40; round++) {
    const start = performance.now();
    matches = 0;
    for (const text of texts) if (text.includes(needle)) matches++;
    times.push(performance.now() - start);
  }
  return { needle, matches, times: times.slice(10) };
}

if (task === 'reading') {
  process.stdout.write(JSON.stringify({ ms: await readingTime() }));
} else {
  // Through JSON, so that each text is one flat string, as in the service.
  const lowered = (await allRows()).map((row) => String(row['body']).toLowerCase());
  const texts = JSON.parse(JSON.stringify(lowered));
  process.stdout.write(JSON.stringify(needles.map((needle) => scanTimes(texts, needle))));
}
client.close();
