// The sign-in page, and the response to a form whose session has ended.

import { getCookie, setCookie } from 'hono/cookie';
import type { App, ConsoleDeps, PageContext } from './deps.js';
import { Frame, Notice } from './layout.js';
import { localPath, PATHS, withQuery } from './paths.js';
import { formOf, SIGN_IN_MAX_BYTES } from './sent-forms.js';

const ENDED =
  'Your session has ended, so nothing was saved. To keep what you typed, sign in in another tab, then reload this page.';

export function registerSignIn(app: App, deps: ConsoleDeps): void {
  const { sessions, credentials, address, log } = deps;
  app.get(PATHS.signIn, (context) => {
    const next = localPath(context.req.query('next'));
    if (isSignedIn(deps, context)) return context.redirect(next, 303);
    return showSignIn(deps, context, next);
  });
  app.post(PATHS.signIn, async (context) => {
    const next = localPath(context.req.query('next'));
    const form = await formOf(context.req.raw, SIGN_IN_MAX_BYTES);
    const waitMs = sessions.tryReserve();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      context.header('Retry-After', String(seconds));
      log.warn('console_sign_in_limited');
      const problem = `Five attempts a minute are allowed. Wait ${seconds} seconds.`;
      return showSignIn(deps, context, next, problem, 429);
    }
    if (!(await credentials.accept(form?.get('secret') ?? ''))) {
      log.warn('console_sign_in_refused');
      return showSignIn(deps, context, next, `Wrong ${credentials.kind}.`, 401);
    }
    // Invalidates the browser's previous session.
    endSession(deps, context);
    setCookie(context, cookieName(deps), sessions.open(), {
      path: '/',
      httpOnly: true,
      // Not Strict, so that links from a chat or a dashboard have the session. The guard refuses cross-site forms.
      sameSite: 'Lax',
      secure: address.origin !== undefined,
    });
    log.info('console_signed_in');
    return context.redirect(next, 303);
  });
}

export function isSignedIn(deps: ConsoleDeps, context: PageContext): boolean {
  return deps.sessions.has(getCookie(context, cookieName(deps)));
}

export function endSession(deps: ConsoleDeps, context: PageContext): void {
  deps.sessions.close(getCookie(context, cookieName(deps)) ?? '');
}

/** Cookies ignore ports, so two consoles on one machine need different names. */
function cookieName({ address: { origin, port } }: ConsoleDeps): string {
  if (origin === undefined) return `console_${port}`;
  return `__Host-console_${new URL(origin).port || 443}`;
}

/** The response to a form without a session. A reload submits the form again. */
export function showSessionEnded(deps: ConsoleDeps, context: PageContext) {
  const { pathname } = new URL(context.req.url);
  const next = pathname === PATHS.signOut ? PATHS.overview : localPath(pathname);
  return showSignIn(deps, context, next, ENDED, 401);
}

/** `next`: the page to redirect to afterwards. */
function showSignIn(
  { credentials }: ConsoleDeps,
  context: PageContext,
  next: string,
  problem?: string,
  status?: 401 | 429,
) {
  const isPassword = credentials.kind === 'password';
  return context.html(
    <Frame title="Sign in" isSignedIn={false}>
      <form method="post" action={withQuery(PATHS.signIn, { next })} class="card sign-in">
        <h1>Sign in</h1>
        {problem !== undefined && <Notice kind="bad">{problem}</Notice>}
        <label for="secret">{isPassword ? 'Password' : 'Code'}</label>
        <input
          id="secret"
          name="secret"
          type={isPassword ? 'password' : 'text'}
          autocomplete={isPassword ? 'current-password' : 'one-time-code'}
          autocapitalize="characters"
          spellcheck={false}
          required
          autofocus
        />
        {!isPassword && (
          <p class="caption">
            The console prints it where it runs. Only the latest code works, once.
          </p>
        )}
        <p>
          <button type="submit" class="main">
            Sign in
          </button>
        </p>
      </form>
    </Frame>,
    status,
  );
}
