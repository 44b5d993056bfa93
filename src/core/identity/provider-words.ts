// The parts of a provider's answer that the log may repeat: known words, names and
// media types, never a text that could contain the token.

import { isJsonObject } from '../domain/json.js';

/** An answer that shares this many characters in a row with the token quotes it. */
const TELLING_CHARACTERS = 8;
const MEMBER_NAMES_MAX = 20;

/** The provider's own error code in a JSON answer, if it looks like one. */
export function errorCode(answer: unknown, token: string): string | null {
  if (!isJsonObject(answer)) return null;
  const code = answer['error_code'] ?? answer['error'] ?? answer['code'];
  if (typeof code !== 'string' || !/^[a-z_]{1,40}$/i.test(code)) return null;
  return haveTextInCommon(code, token) ? null : code;
}

const CHALLENGE_ERROR =
  /(?:^|[\s,])error\s*=\s*"?(invalid_request|invalid_token|insufficient_scope)\b/i;

/** The `error` of a `WWW-Authenticate` header, if it is a word of RFC 6750, section 3.1. */
export function challengeError(header: string | null): string | null {
  return CHALLENGE_ERROR.exec(header ?? '')?.[1]?.toLowerCase() ?? null;
}

/** The media type of an answer without its parameters, such as `text/html`; null if none is sent. */
export function mediaType(header: string | null, token: string): string | null {
  const type = /^\s*([a-z0-9]+\/[a-z0-9.+-]{1,60})\s*(?:;|$)/i.exec(header ?? '')?.[1];
  return type === undefined || haveTextInCommon(type, token) ? null : type.toLowerCase();
}

/** The names of an object's members, without their values; null if it is not an object. */
export function memberNames(answer: unknown, token: string): string | null {
  if (!isJsonObject(answer)) return null;
  const names = Object.keys(answer)
    .slice(0, MEMBER_NAMES_MAX)
    .filter((name) => /^[\w.:/@$-]{1,60}$/.test(name) && !haveTextInCommon(name, token));
  return names.join(', ');
}

/** Whether a provider may have built its text from the token: from all of it, or from some part. */
function haveTextInCommon(given: string, secret: string): boolean {
  const text = given.toLowerCase();
  const token = secret.toLowerCase();
  if (text.includes(token)) return true;
  for (let start = 0; start <= text.length - TELLING_CHARACTERS; start++) {
    if (token.includes(text.slice(start, start + TELLING_CHARACTERS))) return true;
  }
  return false;
}
