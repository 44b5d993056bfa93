// `CONSOLE_PASSWORD_HASH`: a password as scrypt keeps it (RFC 7914), `scrypt$N$r$p$salt$hash`.

/** N, a power of two, r and p; the salt and the hash. */
export interface PasswordHash
  extends Readonly<Record<'cost' | 'blockSize' | 'parallelization', number>> {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** As `manage hash` makes it: 32 MiB, 16 bytes of salt, 32 of hash. */
const HASH = /^scrypt\$(32768)\$(8)\$(3)\$([\w-]{22})\$([\w-]{43})$/;

export function passwordHashText(given: PasswordHash): string {
  const { cost, blockSize, parallelization, salt, hash } = given;
  const encoded = [salt, hash].map((bytes) => Buffer.from(bytes).toString('base64url'));
  return ['scrypt', cost, blockSize, parallelization, ...encoded].join('$');
}

/** Undefined for a text that `passwordHashText` has not made. */
export function parsedPasswordHash(text: string): PasswordHash | undefined {
  // As it is printed: `podman --env-file` keeps the quotation marks.
  const parts = HASH.exec(text.replace(/^'(.*)'$/, '$1'))?.slice(1) ?? [];
  const [cost = 0, blockSize = 0, parallelization = 0] = parts.slice(0, 3).map(Number);
  const [salt, hash] = parts.slice(3).map((part) => Buffer.from(part, 'base64url'));
  return salt && hash && { cost, blockSize, parallelization, salt, hash };
}
