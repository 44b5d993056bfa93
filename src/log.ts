// What the service reports of itself. A host decides where it goes; nothing
// here ever holds a token, a key or a record's value.

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, error: unknown, fields?: LogFields): void;
}

/** For an embedder that wants no log. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** Message and place of an error, on one line once it is JSON. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return place === undefined ? error.message : `${error.message} (${place.trim()})`;
}
