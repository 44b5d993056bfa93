// The text of `CONSOLE_PASSWORD_HASH`: a scrypt hash (RFC 7914) as `scrypt$N$r$p$salt$hash`.

export type PasswordHash = Readonly<Record<'salt' | 'hash', Uint8Array>>;

/** 16 bytes of salt, 32 of hash. `podman --env-file` keeps the quotation marks. */
const HASH = /^'?scrypt\$32768\$8\$3\$([\w-]{22})\$([\w-]{43})'?$/;

export function passwordHashText({ salt, hash }: PasswordHash): string {
  const encoded = [salt, hash].map((bytes) => Buffer.from(bytes).toString('base64url'));
  return ['scrypt', 32_768, 8, 3, ...encoded].join('$');
}

/** Undefined for a text that `passwordHashText` didn't make. */
export function parsedPasswordHash(text: string): PasswordHash | undefined {
  const parts = HASH.exec(text)?.slice(1) ?? [];
  const [salt, hash] = parts.map((part) => Buffer.from(part, 'base64url'));
  return salt && hash && { salt, hash };
}
