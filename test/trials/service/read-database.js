// Prints the contents of a database file, read without the service's code:
// `node read-database.js FILE`. It is a process of its own, because the client releases a
// file only when garbage collection finds its statements. Plain JavaScript, since `node`
// starts it.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

const client = createClient({ url: pathToFileURL(process.argv[2] ?? '').href, concurrency: 1 });
const check = await client.execute('pragma integrity_check');
const rows = await client.execute('select collection, id, body from records order by position');
const events = await client.execute('select event from audit_events order by id');
client.close();
process.stdout.write(
  JSON.stringify({
    integrity: check.rows.map((row) => row[0]).join('; '),
    rows: rows.rows.map(({ collection, id, body }) => ({
      collection,
      id,
      body: JSON.parse(String(body)),
    })),
    events: events.rows.map(({ event }) => JSON.parse(String(event))),
  }),
);
