// The console as one function from a request to an answer: the guard, the session, then the pages.
// Whatever fails becomes a page that says so.

import { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { registerAccount } from './account.js';
import { registerAccounts } from './accounts.js';
import { registerAudit } from './audit.js';
import { FailurePage, failureOf, PageError } from './failure.js';
import { registerHealth } from './health.js';
import { page } from './layout.js';
import { registerOverview } from './overview.js';
import type { App, ConsoleParts, PageEnvironment } from './parts.js';
import { PATHS, withQuery } from './paths.js';
import { registerRecords } from './record.js';
import { answerHeaders, requestGuard } from './request-guard.js';
import { FORM_MAX_BYTES, formOf } from './sent-forms.js';
import { askAgain, cookieName, registerSignIn, viewFor } from './sign-in.js';
import { readStatus } from './status.js';

const ASSET_CACHE = 'private, max-age=31536000, immutable';

export function consoleApp(parts: ConsoleParts): App {
  const app: App = new Hono<PageEnvironment>({
    // A segment is decoded once, where it is read.
    getPath: (request) => new URL(request.url).pathname,
  });
  app.use(answerHeaders, requestGuard(parts.address));
  showFailures(app, parts);
  for (const [path, { type, text }] of Object.entries(parts.assets)) {
    app.get(path, (context) =>
      context.body(text, 200, { 'Content-Type': type, 'Cache-Control': ASSET_CACHE }),
    );
  }
  registerSignIn(app, parts);
  // Beyond this there are only pages and forms of a session.
  registerGate(app, parts);
  registerOverview(app, parts);
  registerHealth(app, parts);
  registerAudit(app, parts);
  registerAccounts(app, parts);
  registerAccount(app, parts);
  registerRecords(app, parts);
  app.notFound(() => {
    throw new PageError(404, 'No such page.');
  });
  return app;
}

function showFailures(app: App, parts: ConsoleParts): void {
  app.onError(async (error, context) => {
    const isWrite = context.req.method === 'POST';
    const failure = failureOf(error, { serviceUrl: parts.serviceUrl, isWrite });
    if (failure.status === 500) parts.log.error('console_page_failed', error);
    const { pathname, search } = new URL(context.req.url);
    const again = isWrite || pathname.startsWith('//') ? undefined : pathname + search;
    const view = context.get('view') ?? viewFor(parts, false);
    const status = failure.isAway ? await readStatus(parts.opsUrl) : undefined;
    return context.html(
      page(<FailurePage {...{ view, failure, again, status }} />),
      failure.status,
    );
  });
}

function registerGate(app: App, parts: ConsoleParts): void {
  const { sessions, sent, log } = parts;
  app.use(async (context, next) => {
    const isSignedIn = sessions.has(getCookie(context, cookieName(parts)));
    const isWrite = context.req.method === 'POST';
    const { pathname, search } = new URL(context.req.url);
    if (!isSignedIn) {
      if (isWrite) return askAgain(parts, context);
      return context.redirect(withQuery(PATHS.signIn, { next: pathname + search }), 303);
    }
    context.set('view', viewFor(parts, true));
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
    sessions.end(getCookie(context, cookieName(parts)) ?? '');
    sent.forget();
    log.info('console_signed_out');
    return context.redirect(PATHS.signIn, 303);
  });
}
