// The result of looking through a database file, apart from the looking: the
// package's types name it, and must not need those of the database client.

/** Numbers of records and audit events in a database. */
export interface DatabaseContents {
  readonly recordCount: number;
  /** Number of records by collection; a collection without records is absent. */
  readonly records: Readonly<Record<string, number>>;
  readonly auditEventCount: number;
}
