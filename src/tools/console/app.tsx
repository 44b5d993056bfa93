// The console as a Hono app: the guard, the session, then the pages. Every error becomes an error page.

import { Hono } from 'hono';
import { registerAccount } from './account.js';
import { registerAccounts } from './accounts.js';
import { registerAudit } from './audit.js';
import type { App, ConsoleDeps, PageEnvironment } from './deps.js';
import { PageError, showError } from './error-page.js';
import { registerHealth } from './health.js';
import { registerOverview } from './overview.js';
import { PATHS, withQuery } from './paths.js';
import { registerRecords } from './record.js';
import { requestGuard, responseHeaders } from './request-guard.js';
import { FORM_MAX_BYTES, formOf, SentForms } from './sent-forms.js';
import { endSession, isSignedIn, registerSignIn, showSessionEnded } from './sign-in.js';

/** Long enough for a visit, short enough for a new release. */
const ASSET_CACHE = 'private, max-age=300';
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b6b58"/><path d="M5 17V11m4.7 6V7m4.6 10v-4M19 17V9" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;

export function consoleApp(deps: ConsoleDeps): App {
  const app: App = new Hono<PageEnvironment>({
    // Not decoded here, because segments are decoded where they are read.
    getPath: (request) => new URL(request.url).pathname,
  });
  app.use(responseHeaders, requestGuard(deps.address));
  app.onError((error, context) => showError(deps, context, error));
  for (const [path, type, text] of [
    ['/console.css', 'text/css; charset=utf-8', deps.style],
    ['/icon.svg', 'image/svg+xml', ICON],
  ] as const) {
    const headers = { 'Content-Type': type, 'Cache-Control': ASSET_CACHE };
    app.get(path, (context) => context.body(text, 200, headers));
  }
  registerSignIn(app, deps);
  // Everything registered after this requires a session.
  registerGate(app, deps);
  registerOverview(app, deps);
  registerHealth(app, deps);
  registerAudit(app, deps);
  registerAccounts(app, deps);
  registerAccount(app, deps);
  registerRecords(app, deps);
  app.notFound(() => {
    throw new PageError(404, 'No such page.');
  });
  return app;
}

function registerGate(app: App, deps: ConsoleDeps): void {
  const sent = new SentForms();
  app.use(async (context, next) => {
    const isWrite = context.req.method === 'POST';
    const { pathname, search } = new URL(context.req.url);
    if (!isSignedIn(deps, context)) {
      if (isWrite) return showSessionEnded(deps, context);
      return context.redirect(withQuery(PATHS.signIn, { next: pathname + search }), 303);
    }
    if (!isWrite) return next();
    const form = await formOf(context.req.raw, FORM_MAX_BYTES);
    if (form === undefined) throw new PageError(413, 'The form is too large.');
    context.set('form', form);
    context.res = await sent.once(pathname, form, async () => {
      await next();
      return context.res;
    });
    return undefined;
  });
  app.post(PATHS.signOut, (context) => {
    endSession(deps, context);
    deps.log.info('console_signed_out');
    return context.redirect(PATHS.signIn, 303);
  });
}
