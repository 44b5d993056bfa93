// Holds a database file as another program might: `node hold-database.js FILE`,
// for so many milliseconds or until it is ended.

import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

const [file = '', milliseconds = String(2 ** 30)] = process.argv.slice(2);
const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });
await client.execute('begin exclusive');
process.stdout.write('held\n');
setTimeout(() => process.exit(0), Number(milliseconds));
