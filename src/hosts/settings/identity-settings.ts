// The AUTH_* settings: who the identity provider is and how it is asked.

import { IDENTITY_CACHE_MAX_SECONDS } from '../../core/domain/limits.js';
import { subjectPath } from '../../core/identity/claims.js';
import type { SignInSettings } from '../../core/identity/sign-in.js';
import {
  type Environment,
  MASKED,
  onOrOff,
  type Parser,
  providerUrl,
  quoted,
  read,
  SettingError,
  wholeNumber,
} from './setting-values.js';

/** Undefined where no provider is named. Throws a `SettingError` for the first setting that cannot be used. */
export function readSignIn(environment: Environment): SignInSettings | undefined {
  const userinfoUrl = read(environment, 'AUTH_USERINFO_URL', providerUrl, undefined);
  const settings: SignInSettings = {
    userinfo: read(environment, 'AUTH_USERINFO', onOrOff, 'on'),
    userinfoUrl,
    headers: read(environment, 'AUTH_USERINFO_HEADERS', headerList, {}),
    method: read(environment, 'AUTH_USERINFO_METHOD', method, 'GET'),
    subjectField: read(environment, 'AUTH_SUBJECT_FIELD', subjectField, 'sub'),
    issuer: read(environment, 'AUTH_ISSUER', issuerUrl, undefined),
    jwksUrl: read(environment, 'AUTH_JWKS_URL', providerUrl, undefined),
    audiences: read(environment, 'AUTH_AUDIENCE', audienceList, []),
    cacheSeconds: read(
      environment,
      'AUTH_CACHE_SECONDS',
      wholeNumber(0, IDENTITY_CACHE_MAX_SECONDS),
      0,
    ),
  };
  checkTogether(settings);
  const isNamed = [userinfoUrl, settings.issuer, settings.jwksUrl].some((url) => url !== undefined);
  return isNamed ? Object.freeze(settings) : undefined;
}

/** The start fails where a gate is asked for and cannot be made. */
function checkTogether(settings: SignInSettings): void {
  const { userinfo, userinfoUrl, issuer, jwksUrl, audiences } = settings;
  const asksForGate = audiences.length > 0;
  if (userinfo === 'off' && !asksForGate) {
    throw new SettingError(
      'AUTH_AUDIENCE',
      'unset',
      'the audience of the tokens, because nobody else checks them with AUTH_USERINFO=off',
    );
  }
  if (userinfo === 'off' && userinfoUrl !== undefined) {
    throw new SettingError('AUTH_USERINFO', '"off"', 'on where AUTH_USERINFO_URL is set');
  }
  if (asksForGate && issuer === undefined && jwksUrl === undefined) {
    throw new SettingError(
      'AUTH_ISSUER',
      'unset',
      'the issuer whose keys check the tokens for AUTH_AUDIENCE (or set AUTH_JWKS_URL)',
    );
  }
  if (jwksUrl !== undefined && !asksForGate) {
    throw new SettingError(
      'AUTH_AUDIENCE',
      'unset',
      'the audience of the tokens that the keys of AUTH_JWKS_URL are to check',
    );
  }
  if (asksForGate && userinfo === 'on' && userinfoUrl === undefined && issuer === undefined) {
    throw new SettingError(
      'AUTH_USERINFO_URL',
      'unset',
      'the endpoint that is asked once a token has passed (or set AUTH_ISSUER, or AUTH_USERINFO=off)',
    );
  }
}

/** Compared with the provider's own spelling character by character, so it is not normalized. */
const issuerUrl: Parser<string> = (name, text) => {
  providerUrl(name, text);
  if (!/[?#]/.test(text)) return text;
  throw new SettingError(name, quoted(text), 'the issuer alone, without a query or fragment');
};

const method: Parser<'GET' | 'POST'> = (name, text) => {
  if (text === 'GET' || text === 'POST') return text;
  throw new SettingError(name, quoted(text), 'GET or POST');
};

const audienceList: Parser<string[]> = (name, text) => {
  const audiences = text
    .split(',')
    .map((audience) => audience.trim())
    .filter((audience) => audience !== '');
  // A list without an entry would let in everybody, as an unset one does.
  if (audiences.length > 0) return audiences;
  throw new SettingError(name, quoted(text), 'one audience or several, separated by commas');
};

const subjectField: Parser<string> = (name, text) => {
  if (subjectPath(text) !== undefined) return text;
  const wanted = 'a dotted path such as user.id, or a JSON Pointer such as /user/id';
  const pointer = `/${text.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const isUrl = text.includes('://') && subjectPath(pointer) !== undefined;
  // A claim's name is no secret, and the operator needs it whole to compare.
  const given = isUrl ? JSON.stringify(text) : quoted(text);
  throw new SettingError(name, given, isUrl ? `${wanted}; for this member ${pointer}` : wanted);
};

/** Headers about the connection belong to the HTTP client, which refuses requests that set them. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerList: Parser<Record<string, string>> = (name, text) => {
  const wanted = 'a JSON object of header names and text values, such as {"apikey":"…"}';
  try {
    const headers: unknown = JSON.parse(text);
    if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
      throw new Error();
    const entries = Object.entries(headers).map(([header, value]): [string, string] => {
      if (typeof value !== 'string') throw new Error();
      return [header, value];
    });
    if (entries.some(([header]) => CONNECTION_HEADERS.has(header.toLowerCase()))) throw new Error();
    // `Headers` makes the names lower-case, so that the service's own headers replace them and are
    // not sent beside them.
    return Object.fromEntries(new Headers(entries));
  } catch {
    throw new SettingError(name, MASKED, wanted);
  }
};
