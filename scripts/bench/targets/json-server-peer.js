// json-server 0.17, as its documentation says to use it as a module: one JSON
// file, no accounts, no syncs, and the whole file written for every change.

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { peerPackage } from '../peer-packages.js';
import { announce } from './answer-file.js';

const [source = '', file = ''] = process.argv.slice(2);
const client = createClient({ url: pathToFileURL(source).href, concurrency: 1 });
const { rows } = await client.execute('select body from records order by position desc');
client.close();
writeFileSync(
  file,
  JSON.stringify({ customers: rows.map((row) => JSON.parse(String(row['body']))) }),
);

const jsonServer = peerPackage('json-server');
const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use('/api/v1', jsonServer.router(file));
const server = app.listen(0, '127.0.0.1', () => announce(server.address().port));
