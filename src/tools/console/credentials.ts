// How an operator signs in: with a password whose scrypt hash is a setting, or with a code that the
// console prints and that works once.

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type PasswordHash, passwordHashText } from '../../hosts/settings/password-hash.js';

/** OWASP's password storage page: N = 2^15, r = 8, p = 3 takes 32 MiB; Node wants a bound above that. */
const SCRYPT = { N: 32_768, r: 8, p: 3, maxmem: 67_108_864 };
const deriveKey = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PASSWORD_MIN_CHARACTERS = 12;
/** Bounds the cost of hashing. */
const PASSWORD_MAX_CHARACTERS = 1_024;
const CODE_CHARACTERS = 8;
/** 32 characters that are hard to confuse, so a code has 40 bits. */
const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export interface Credentials {
  readonly kind: 'password' | 'code';
  /** Whether this is the password or the current code. */
  accept(given: string): Promise<boolean>;
}

export function passwordCredentials(expected: PasswordHash): Credentials {
  const accept = async (given: string) =>
    given.length <= PASSWORD_MAX_CHARACTERS &&
    timingSafeEqual(await derived(given, expected.salt), expected.hash);
  return { kind: 'password', accept };
}

/** `print` gets each new code: the first at once, the next when one is used. */
export function codeCredentials(print: (code: string) => void): Credentials {
  let code = '';
  const renew = () => {
    code = [...randomBytes(CODE_CHARACTERS)].map((byte) => CODE_ALPHABET[byte % 32]).join('');
    print(code);
  };
  renew();
  return {
    kind: 'code',
    async accept(given) {
      const [a, b] = [Buffer.from(given.trim().toUpperCase()), Buffer.from(code)];
      const isRight = a.length === b.length && timingSafeEqual(a, b);
      if (isRight) renew();
      return isRight;
    },
  };
}

/** The text for `CONSOLE_PASSWORD_HASH`. Throws if the password is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  const { length } = password;
  if (length < PASSWORD_MIN_CHARACTERS || length > PASSWORD_MAX_CHARACTERS) {
    throw new Error(
      `the password has ${length} characters; it must have ${PASSWORD_MIN_CHARACTERS} to ${PASSWORD_MAX_CHARACTERS}`,
    );
  }
  const salt = randomBytes(SALT_BYTES);
  return passwordHashText({ salt, hash: await derived(password, salt) });
}

/** Normalized, because keyboards differ in how they encode the same letter. */
function derived(password: string, salt: Uint8Array): Promise<Buffer> {
  return deriveKey(password.normalize('NFC'), salt, HASH_BYTES, SCRYPT);
}
