// The part of a durable object's `ctx.storage` that the code over its database uses.

type SqlValue = string | number | null | ArrayBuffer;
export type SqlRow = Record<string, SqlValue>;

export interface ObjectStorage {
  readonly sql: {
    exec<Row extends SqlRow>(query: string, ...bindings: (string | number)[]): Iterable<Row>;
  };
  transactionSync<T>(run: () => T): T;
}
