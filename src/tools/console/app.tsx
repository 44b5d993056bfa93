// The console as one function from a request to an answer: the guard, the
// session, then the pages. Whatever fails becomes a page that says so.

import { timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { registerAccounts } from './account-routes.js';
import { registerAudit } from './audit-routes.js';
import { AwayPage } from './away-page.js';
import type { Credentials } from './credentials.js';
import { FailurePage, failureOf, PageError } from './failure-page.js';
import { FORM_MAX_BYTES, formOf } from './form-body.js';
import { page, type View } from './layout.js';
import type { App, ConsoleParts, PageEnvironment } from './parts.js';
import { AGAIN, PATHS, withQuery } from './paths.js';
import { registerRecords } from './record-routes.js';
import { answerHeaders, requestGuard } from './request-guard.js';
import type { Session } from './sessions.js';
import { SignInPage } from './sign-in-page.js';
import { registerViews } from './view-routes.js';

const SIGN_IN_MAX_BYTES = 8_192;
const ASSET_CACHE = 'private, max-age=31536000, immutable';

export function consoleApp(parts: ConsoleParts): App {
  const { assets } = parts;
  const app: App = new Hono<PageEnvironment>({
    // A segment is decoded once, where it is read.
    getPath: (request) => new URL(request.url).pathname,
  });
  app.use(answerHeaders, requestGuard(parts.address));
  app.onError(async (error, context) => {
    const isWrite = context.req.method === 'POST';
    const failure = failureOf(error, { serviceUrl: parts.service.url, isWrite });
    if (failure.status === 500) parts.log.error('console_page_failed', error);
    const { pathname, search } = new URL(context.req.url);
    const again = isWrite || pathname.startsWith('//') ? undefined : pathname + search;
    const view = context.get('view') ?? viewFor(parts, undefined);
    const shown = failure.isAway ? (
      <AwayPage
        {...{ view, failure, again }}
        watch={parts.watch}
        port={parts.operations}
        operations={await parts.operations.factsOrReason(0)}
        settings={parts.settings()}
        chosen={context.req.query('restore')}
        now={parts.clock()}
      />
    ) : (
      <FailurePage view={view} failure={failure} again={again} />
    );
    return context.html(page(shown), failure.status);
  });
  for (const [path, { type, text }] of Object.entries(assets)) {
    app.get(path, (context) =>
      context.body(text, 200, { 'Content-Type': type, 'Cache-Control': ASSET_CACHE }),
    );
  }
  registerSignIn(app, parts);
  registerGate(app, parts);
  registerViews(app, parts);
  registerAudit(app, parts);
  registerAccounts(app, parts);
  registerRecords(app, parts);
  app.notFound(() => {
    throw new PageError({
      status: 404,
      sentence: 'There is no such page.',
      hint: 'Go to the overview, or search the accounts.',
    });
  });
  return app;
}

/** What is said of a wrong secret. */
const WRONG = {
  password: 'This password is wrong.',
  code: 'This code is wrong. Take the last one that the console printed.',
} satisfies Record<Credentials['kind'], string>;

function registerSignIn(app: App, parts: ConsoleParts): void {
  const { sessions, tries, credentials, log } = parts;
  const { kind } = credentials;
  app.get(PATHS.signIn, (context) => {
    const next = localPath(context.req.query('next'));
    if (sessions.find(getCookie(context, cookieName(parts))) !== undefined) {
      return context.redirect(next, 303);
    }
    const view = viewFor(parts, undefined);
    return context.html(page(<SignInPage view={view} kind={kind} next={next} />));
  });

  app.post(PATHS.signIn, async (context) => {
    const view = viewFor(parts, undefined);
    const next = localPath(context.req.query('next'));
    const refuse = (problem: string, status: 401 | 429) =>
      context.html(
        page(<SignInPage view={view} kind={kind} next={next} problem={problem} />),
        status,
      );
    const form = await formOf(context.req.raw, SIGN_IN_MAX_BYTES);
    const waitMs = tries.begin();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      context.header('Retry-After', String(seconds));
      log.warn('console_sign_in_limited');
      return refuse(
        `Five tries a minute are possible. Wait ${seconds} seconds, then try again.`,
        429,
      );
    }
    if (!(await credentials.accept(form?.get('secret') ?? ''))) {
      log.warn('console_sign_in_refused');
      return refuse(WRONG[kind], 401);
    }
    // The id is new: one that was in the browser before opens nothing.
    const old = getCookie(context, cookieName(parts));
    if (old !== undefined) sessions.end(old);
    const isHttps = parts.address.origin !== undefined;
    setCookie(context, cookieName(parts), sessions.begin().id, {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      secure: isHttps,
    });
    log.info('console_signed_in');
    return context.redirect(next, 303);
  });
}

/** Beyond this there are only pages for a session, and forms that carry its token. */
function registerGate(app: App, parts: ConsoleParts): void {
  const { sessions, credentials, log } = parts;
  app.use(async (context, next) => {
    const isUse = context.req.query(AGAIN) === undefined;
    const session = sessions.find(getCookie(context, cookieName(parts)), isUse);
    const isWrite = context.req.method === 'POST';
    if (session === undefined) {
      const { pathname, search } = new URL(context.req.url);
      if (!isWrite) {
        return context.redirect(withQuery(PATHS.signIn, { next: pathname + search }), 303);
      }
      const view = viewFor(parts, undefined);
      return context.html(
        page(
          <SignInPage
            view={view}
            kind={credentials.kind}
            next="/"
            problem="The session has ended. Sign in again, then go back and send the form once more."
          />,
        ),
        401,
      );
    }
    context.set('session', session);
    context.set('view', viewFor(parts, session));
    if (!isWrite) return next();
    const form = await formOf(context.req.raw, FORM_MAX_BYTES);
    if (form === undefined) {
      throw new PageError({ status: 413, sentence: 'The form is too large.', hint: '' });
    }
    if (!isSameSecret(form.get('token') ?? '', session.formToken)) {
      throw new PageError({
        status: 403,
        sentence:
          'The form was not sent from this session, so nothing was changed. Load the page again.',
        hint: '',
      });
    }
    context.set('form', form);
    return next();
  });
  app.post(PATHS.signOut, (context) => {
    sessions.end(context.get('session').id);
    log.info('console_signed_out');
    return context.redirect(PATHS.signIn, 303);
  });
}

/** Cookies ignore ports, so two consoles on one machine need two names. */
export function cookieName({ address: { origin, port } }: Pick<ConsoleParts, 'address'>): string {
  if (origin === undefined) return `console_${port()}`;
  return `__Host-console_${new URL(origin).port || 443}`;
}

function viewFor(
  { formats, assetVersion }: Pick<ConsoleParts, 'formats' | 'assetVersion'>,
  session: Session | undefined,
): View {
  return { formats, assetVersion, session };
}

/** A path of the console; whatever else was asked for, the overview. */
function localPath(next: string | undefined): string {
  const base = 'http://console.invalid';
  if (next === undefined || !next.startsWith('/') || !URL.canParse(next, base)) return '/';
  const { origin, pathname, search } = new URL(next, base);
  return origin === base && !pathname.startsWith('//') ? pathname + search : '/';
}

function isSameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
