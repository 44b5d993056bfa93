// The admin Worker: the operator's work on entire accounts. It isn't part of the API but a
// script of its own, with the operator's key. This file is its gate and its table of routes;
// each group of routes has a file of its own.

import { Hono } from 'hono';
import { adminGate } from '../../../core/http/authentication.js';
import { canonicalPath } from '../../../core/http/path.js';
import { readAdminKeys } from '../../settings.js';
import { consoleLog } from '../console-log.js';
import { once, settingsIn } from '../environment.js';
import { ACCOUNT_ROUTES } from './account-routes.js';
import { type AdminCall, type AdminEnvironment, type AdminRoute, refused } from './admin-route.js';
import { DUMP_ROUTES } from './dump-routes.js';

const ROUTES: readonly AdminRoute[] = [...ACCOUNT_ROUTES, ...DUMP_ROUTES];
const PATHS = [...new Set(ROUTES.map(({ path }) => path))];

export const admin = new Hono<{ Bindings: AdminEnvironment }>({ getPath: canonicalPath });

admin.use(async (call, next) => {
  if (gateOf(call.env)(call.req.raw).ok) return next();
  return refused(401, 'send ADMIN_API_KEY of this script in X-Service-Admin-Key');
});
for (const path of PATHS) {
  const routes = ROUTES.filter((route) => route.path === path);
  // Every method, including HEAD, which Hono would answer as GET.
  admin.all(path, (call) => answerFrom(routes, call));
}
admin.notFound(() => {
  const paths = PATHS.map((path) => path.replaceAll(/:(\w+)/g, '{$1}')).join(', ');
  return refused(404, `no such path; the paths are ${paths}`);
});
admin.onError((error) => {
  consoleLog().error('maintenance_failed', error);
  return refused(500, 'the account or the directory did not answer; send it again');
});

async function answerFrom(routes: readonly AdminRoute[], call: AdminCall): Promise<Response> {
  const { method } = call.req.raw;
  const route = routes.find((candidate) => candidate.method === method);
  if (route === undefined) {
    const methods = routes.map((candidate) => candidate.method).join(', ');
    return refused(405, `${method} is not allowed here; use ${methods}`);
  }
  if (call.env.MAINTENANCE !== 'on') {
    return refused(
      403,
      'work on accounts is off in this deployment; for the task, deploy it with --var MAINTENANCE:on',
    );
  }
  return route.action(call);
}

/** An invalid key grants nothing. */
const gateOf = once((env: AdminEnvironment) => {
  try {
    return adminGate(readAdminKeys(settingsIn(env)));
  } catch (error) {
    consoleLog().error('setting_unusable', error);
    return adminGate(undefined);
  }
});
