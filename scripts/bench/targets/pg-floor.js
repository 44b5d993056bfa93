// The floor of a read over Postgres: a bare handler that sends one prepared SELECT for each request.

import { serve } from '@hono/node-server';
import pg from 'pg';
import { announce } from './answer-file.js';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 8 });
const text = "select body from records where owner = $1 and collection = 'customers' and id = $2";

async function fetch(/** @type {Request} */ request) {
  const owner = request.headers.get('authorization')?.slice('Bearer '.length);
  const id = request.url.slice(request.url.lastIndexOf('/') + 1);
  const { rows } = await pool.query({ name: 'read', text, values: [owner, id] });
  const headers = { 'Content-Type': 'application/json' };
  return new Response(`{"data":${rows[0].body}}`, { headers });
}

serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => announce(port));
