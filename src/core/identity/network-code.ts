// The code of a network error. Nothing else of the error may be logged: its message
// can contain the request's headers, and so the token.

/** Such as `ECONNREFUSED`; the error's name where it has no code. */
export function networkCode(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = isRecord(cause) ? cause['code'] : undefined;
  if (typeof code === 'string' && /^[A-Z0-9_]+$/.test(code)) return code;
  return error instanceof Error ? error.name : 'network error';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
