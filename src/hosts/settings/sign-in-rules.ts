// Which settings of sign-in go together: the start fails if a gate is asked for and can't be built.

import type { SETTINGS } from './schema.js';

export type SignInTexts = Pick<
  ReturnType<typeof SETTINGS.parse>,
  Extract<keyof typeof SETTINGS.shape, `AUTH_${string}`>
>;

type Problem = readonly [name: string, given: string, wanted: string];

export function signInProblems(values: SignInTexts): Problem[] {
  const { AUTH_USERINFO: userinfo, AUTH_USERINFO_URL: userinfoUrl } = values;
  const { AUTH_ISSUER: issuer, AUTH_JWKS_URL: jwksUrl } = values;
  const hasGate = values.AUTH_AUDIENCE.length > 0;
  const hasKeys = issuer !== undefined || jwksUrl !== undefined;
  const asks = userinfo === 'on';
  const problems: (readonly [boolean, ...Problem])[] = [
    [
      !asks && !hasGate,
      'AUTH_AUDIENCE',
      'unset',
      'the audience of the tokens, because nothing else checks them with AUTH_USERINFO=off',
    ],
    [
      !asks && userinfoUrl !== undefined,
      'AUTH_USERINFO',
      '"off"',
      'on where AUTH_USERINFO_URL is set',
    ],
    [
      hasGate && !hasKeys,
      'AUTH_ISSUER',
      'unset',
      'the issuer whose keys check the tokens for AUTH_AUDIENCE (or set AUTH_JWKS_URL)',
    ],
    [
      asks && jwksUrl !== undefined && !hasGate,
      'AUTH_AUDIENCE',
      'unset',
      'the audience of the tokens that the keys of AUTH_JWKS_URL are to check',
    ],
    [
      hasGate && hasKeys && asks && userinfoUrl === undefined && issuer === undefined,
      'AUTH_USERINFO_URL',
      'unset',
      'the endpoint that is asked once a token has passed (or set AUTH_ISSUER, or AUTH_USERINFO=off)',
    ],
  ];
  return problems.flatMap(([isWrong, ...problem]) => (isWrong ? [problem] : []));
}
