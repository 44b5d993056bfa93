// An application that uses better-auth; `/control` stands for what its own code would do.
// It is called with its origin.

import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { toNodeHandler } from 'better-auth/node';
import { admin, bearer } from 'better-auth/plugins';

const origin = process.argv[2] ?? '';
/** @type {Record<string, Record<string, unknown>[]>} */
const tables = { user: [], session: [], account: [], verification: [] };
const auth = betterAuth({
  baseURL: origin,
  secret: 'a-secret-of-the-trial-that-is-long-enough',
  database: memoryAdapter(tables),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  user: { deleteUser: { enabled: true } },
  plugins: [bearer(), admin()],
});
const handle = toNodeHandler(auth);
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', origin);
  if (pathname !== '/control') {
    handle(request, response);
    return;
  }
  const user = tables['user']?.find(({ email }) => email === searchParams.get('email'));
  if (user !== undefined && searchParams.has('admin')) user['role'] = 'admin';
  if (searchParams.has('expire')) {
    for (const session of tables['session'] ?? []) {
      if (session['userId'] === user?.['id']) session['expiresAt'] = new Date(Date.now() + 1000);
    }
  }
  response.end();
});
server.listen(Number(new URL(origin).port), '127.0.0.1');
