// The floor of a start: the milliseconds that SQLite itself takes to check a file and read every body.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

const client = createClient({ url: pathToFileURL(process.argv[2] ?? '').href, concurrency: 1 });
const start = performance.now();
await client.execute('pragma quick_check');
await client.execute('select total(length(body)) from records');
process.stdout.write(JSON.stringify({ ms: performance.now() - start }));
client.close();
