// The port for log events, which the host writes. An event never contains a token, a key or a record's
// value, and there is "no per-request access log".

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, error: unknown, fields?: LogFields): void;
}

/** A log that drops every event. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** Message and first stack line of an error. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return place === undefined ? error.message : `${error.message} (${place.trim()})`;
}
