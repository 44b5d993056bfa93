// The two floors that read a database file without the service: a bare `select`
// of all rows, and a bare scan over the records' texts.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

const [task, file = '', ...needles] = process.argv.slice(2);
const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });
const { rows } = await client.execute(
  'select position, collection, id, body, created_at, updated_at from records order by position',
);
client.close();

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

if (task === 'select') {
  process.stdout.write(`{"rows":${rows.length}}\n`);
} else {
  // Through JSON, as a text comes to the service: in one piece.
  const lowered = rows.map((row) => String(row['body']).toLowerCase());
  const texts = JSON.parse(JSON.stringify(lowered));
  process.stdout.write(JSON.stringify(needles.map((needle) => scanTimes(texts, needle))));
}
