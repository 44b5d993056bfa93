// Which settings of sign-in go together: the start fails if a gate is asked for and can't be built.

import type { SETTINGS } from './schema.js';

type Values = ReturnType<typeof SETTINGS.parse>;
export type SignInTexts = Pick<Values, Extract<keyof Values, `AUTH_${string}`>>;
export type Problem = readonly [name: string, given: string, wanted: string];

export function signInProblems(values: SignInTexts): Problem[] {
  const { AUTH_USERINFO_URL: userinfoUrl, AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl } = values;
  const hasGate = values.AUTH_AUDIENCE.length > 0;
  const hasKeys = issuer !== undefined || jwksUrl !== undefined;
  const asks = values.AUTH_USERINFO === 'on';
  const problems: Problem[] = [];
  const unset = (name: string, wanted: string) => problems.push([name, 'unset', wanted]);
  if (!asks && !hasGate) {
    unset(
      'AUTH_AUDIENCE',
      'the audience of the tokens, because nothing else checks them with AUTH_USERINFO=off',
    );
  }
  if (!asks && userinfoUrl !== undefined) {
    problems.push(['AUTH_USERINFO', '"off"', 'on where AUTH_USERINFO_URL is set']);
  }
  if (hasGate && !hasKeys) {
    unset(
      'AUTH_ISSUER',
      'the issuer whose keys check the tokens for AUTH_AUDIENCE (or set AUTH_JWKS_URL)',
    );
  }
  if (asks && jwksUrl !== undefined && !hasGate) {
    unset(
      'AUTH_AUDIENCE',
      'the audience of the tokens that the keys of AUTH_JWKS_URL are to check',
    );
  }
  if (asks && hasGate && hasKeys && userinfoUrl === undefined && issuer === undefined) {
    unset(
      'AUTH_USERINFO_URL',
      'the endpoint that is asked once a token has passed (or set AUTH_ISSUER, or AUTH_USERINFO=off)',
    );
  }
  return problems;
}
