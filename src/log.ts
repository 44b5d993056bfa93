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
