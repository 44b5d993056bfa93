// The sign-in, and the answer to a form whose session has ended.

import { getCookie, setCookie } from 'hono/cookie';
import type { Credentials } from './credentials.js';
import { FormId, Frame, Notice, page, type View } from './layout.js';
import type { App, ConsoleParts, PageContext } from './parts.js';
import { localPath, PATHS, withQuery } from './paths.js';
import { formOf, SIGN_IN_MAX_BYTES } from './sent-forms.js';

const WRONG = {
  password: 'Wrong password.',
  code: 'Wrong code. Use the latest one that the console printed.',
} satisfies Record<Credentials['kind'], string>;
const ENDED =
  'Your session has ended, so nothing was saved. To keep what you typed, sign in in another tab, then reload this page.';

export function registerSignIn(app: App, parts: ConsoleParts): void {
  const { sessions, sent } = parts;
  app.get(PATHS.signIn, (context) => {
    const next = localPath(context.req.query('next'));
    if (sessions.has(getCookie(context, cookieName(parts)))) {
      return context.redirect(next, 303);
    }
    return show(parts, context, { next }, 200);
  });
  app.post(PATHS.signIn, async (context) => {
    const form = await formOf(context.req.raw, SIGN_IN_MAX_BYTES);
    if (form === undefined) return show(parts, context, { next: PATHS.overview }, 401);
    return sent.once(PATHS.signIn, form, async () => signIn(parts, context, form));
  });
}

/** The answer to a form without a session. The browser sends the form again when this page is reloaded. */
export function askAgain(parts: ConsoleParts, context: PageContext) {
  const { pathname } = new URL(context.req.url);
  const next = pathname === PATHS.signOut ? PATHS.overview : localPath(pathname);
  return show(parts, context, { next, problem: ENDED }, 401);
}

async function signIn(parts: ConsoleParts, context: PageContext, form: URLSearchParams) {
  const { sessions, tries, credentials, log } = parts;
  const next = localPath(context.req.query('next'));
  const waitMs = tries.begin();
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    context.header('Retry-After', String(seconds));
    log.warn('console_sign_in_limited');
    const problem = `Five attempts a minute are allowed. Wait ${seconds} seconds.`;
    return show(parts, context, { next, problem }, 429);
  }
  if (!(await credentials.accept(form.get('secret') ?? ''))) {
    log.warn('console_sign_in_refused');
    return show(parts, context, { next, problem: WRONG[credentials.kind] }, 401);
  }
  // The id that the browser had before opens nothing.
  const old = getCookie(context, cookieName(parts));
  if (old !== undefined) sessions.end(old);
  setCookie(context, cookieName(parts), sessions.begin(), {
    path: '/',
    httpOnly: true,
    // Not Strict, so that a link in a chat or a dashboard finds the session. The guard refuses forms.
    sameSite: 'Lax',
    secure: parts.address.origin !== undefined,
  });
  log.info('console_signed_in');
  return context.redirect(next, 303);
}

/** Cookies ignore ports, so two consoles on one machine need two names. */
export function cookieName({ address: { origin, port } }: Pick<ConsoleParts, 'address'>): string {
  if (origin === undefined) return `console_${port()}`;
  return `__Host-console_${new URL(origin).port || 443}`;
}

export function viewFor(parts: ConsoleParts, isSignedIn: boolean): View {
  const { assetVersion, formId } = parts;
  return { assetVersion, formId: formId(), isSignedIn };
}

interface Asked {
  /** The page to go to afterwards. */
  readonly next: string;
  readonly problem?: string;
}

function show(parts: ConsoleParts, context: PageContext, asked: Asked, status: 200 | 401 | 429) {
  const { kind } = parts.credentials;
  const isPassword = kind === 'password';
  const view = viewFor(parts, false);
  const { next, problem } = asked;
  const text = (
    <Frame view={view} title="Sign in">
      <form method="post" action={withQuery(PATHS.signIn, { next })} class="card sign-in">
        <FormId view={view} />
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
          <p class="caption">The console prints it where it runs. Each code works once.</p>
        )}
        <p>
          <button type="submit" class="main">
            Sign in
          </button>
        </p>
      </form>
    </Frame>
  );
  return context.html(page(text), status);
}
