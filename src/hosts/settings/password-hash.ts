// `CONSOLE_PASSWORD_HASH`: a password as scrypt keeps it (RFC 7914), `scrypt$N$r$p$salt$hash`.

export interface PasswordHash {
  /** N: a power of two. */
  readonly cost: number;
  /** r */
  readonly blockSize: number;
  /** p */
  readonly parallelization: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** scrypt with r = 8 takes 1 KiB for each step of N: this is 256 MiB. */
const COST_MAX = 262_144;
const HASH_BYTES = 32;

export function passwordHashText(given: PasswordHash): string {
  const { cost, blockSize, parallelization, salt, hash } = given;
  const encoded = [salt, hash].map((bytes) => Buffer.from(bytes).toString('base64url'));
  return ['scrypt', cost, blockSize, parallelization, ...encoded].join('$');
}

/** Undefined for a text that `passwordHashText` has not made. */
export function parsedPasswordHash(text: string): PasswordHash | undefined {
  // As `manage hash` prints it: `podman --env-file` keeps the quotation marks.
  const bare = /^'(.*)'$/.exec(text)?.[1] ?? text;
  const [, cost, blockSize, parallelization, salt = '', hash = ''] =
    /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{16,128})\$([\w-]{43})$/.exec(bare) ?? [];
  const parsed: PasswordHash = {
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  };
  const isPowerOfTwo = parsed.cost > 1 && (parsed.cost & (parsed.cost - 1)) === 0;
  const isUsable =
    isPowerOfTwo &&
    parsed.cost <= COST_MAX &&
    parsed.blockSize >= 1 &&
    parsed.parallelization >= 1 &&
    parsed.hash.length === HASH_BYTES;
  return isUsable ? parsed : undefined;
}
