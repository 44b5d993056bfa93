// Locks a database file as another program does: `node hold-database.js FILE [MILLISECONDS]`.
// Holds it for that time, or until it is ended. Plain JavaScript, since `node` starts it.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

const [file = '', milliseconds = String(2 ** 30)] = process.argv.slice(2);
const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });
await client.execute('begin exclusive');
process.stdout.write('held\n');
setTimeout(() => process.exit(0), Number(milliseconds));
