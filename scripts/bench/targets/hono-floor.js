// The framework's floor: a bare Hono app on its Node server. It sends the service's bytes and stores
// nothing; POST and PATCH read and parse the body.

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { announce, readResponses } from './fixed-responses.js';

const { GET, POST, PATCH } = readResponses(process.argv[2]);

const app = new Hono();
if (GET !== undefined) {
  app.get('/api/v1/:collection', (c) => c.body(GET.body, GET.status, GET.headers));
  app.get('/api/v1/:collection/:id', (c) => c.body(GET.body, GET.status, GET.headers));
}
if (POST !== undefined) {
  app.post('/api/v1/:collection', async (c) => {
    await c.req.json();
    return c.body(POST.body, POST.status, POST.headers);
  });
}
if (PATCH !== undefined) {
  app.patch('/api/v1/:collection/:id', async (c) => {
    await c.req.json();
    return c.body(PATCH.body, PATCH.status, PATCH.headers);
  });
}

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => announce(port));
