// The page that asks who is there.

import type { Credentials } from './credentials.js';
import { Frame, Notice, type View } from './layout.js';
import { PATHS, withQuery } from './paths.js';

interface SignInProps {
  readonly view: View;
  readonly kind: Credentials['kind'];
  /** The page to go to afterwards. */
  readonly next: string;
  /** Why the last try has failed. */
  readonly problem?: string | undefined;
}

export function SignInPage({ view, kind, next, problem }: SignInProps) {
  return (
    <Frame view={view} title="Sign in">
      <form method="post" action={withQuery(PATHS.signIn, { next })} class="sign-in">
        <h1>Sign in</h1>
        {problem !== undefined && <Notice kind="bad">{problem}</Notice>}
        <label for="secret">{kind === 'password' ? 'Password' : 'Code'}</label>
        <input
          id="secret"
          name="secret"
          type={kind === 'password' ? 'password' : 'text'}
          autocomplete={kind === 'password' ? 'current-password' : 'one-time-code'}
          autocapitalize="characters"
          spellcheck={false}
          required
          autofocus
        />
        {kind === 'code' && (
          <p class="caption">
            The console printed a code where it was started. Each code is for one sign-in.
          </p>
        )}
        <button type="submit" class="main">
          Sign in
        </button>
      </form>
    </Frame>
  );
}
