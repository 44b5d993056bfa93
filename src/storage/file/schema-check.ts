// Whether a database file has exactly the schema that this program writes. A
// file with one more trigger or view passes every integrity check of SQLite,
// and changes on its own what the program stores.

import { Connection } from './connection.js';
import { SCHEMA_STEPS } from './file-schema.js';

/** The first statement on every connection: functions with side effects do not run from a schema. */
export const DISTRUST_SCHEMA = 'pragma trusted_schema = off';

/** Tables that Litestream makes for itself. The program never reads them. */
const LITESTREAM_TABLES: ReadonlySet<string> = new Set(['_litestream_seq', '_litestream_lock']);

/** The refusal of a file with foreign objects begins with these words. */
export const FOREIGN_SCHEMA = 'its schema is not the one that this program writes';

/** How many objects a refusal names. */
const NAMED_MAX_OBJECTS = 3;
const NAME_MAX_CHARACTERS = 60;

/**
 * `sqlite_master`, not `sqlite_schema`: SQLite resolves the first name before any
 * table, but the second one only if no table or view of the file has that name.
 */
const LIST_OBJECTS = `
  select type, name, tbl_name as on_table, sql, rootpage > 0 as has_pages from sqlite_master`;

/** A row of SQLite's own list of tables, indexes, views and triggers. */
interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly onTable: string;
  /** Null for the index that SQLite makes for a constraint. */
  readonly sql: string | null;
  /** False for a view, a trigger and a virtual table. */
  readonly hasPages: boolean;
}

/**
 * Compares the file's schema, object by object and to the letter, with the one
 * that `SCHEMA_STEPS` makes up to `version`; version 0 is an empty file.
 * If an object is foreign, changed or missing, throws an error that names it. Runs nothing of the schema.
 */
export function expectOwnSchema(connection: Connection, version: number): void {
  const found = objectsOf(connection);
  const expected = expectedObjects(version);
  const foundTexts = new Set(found.map(textOf));
  const expectedTexts = new Set(expected.map(textOf));
  const foreign = found.filter(
    (object) => !expectedTexts.has(textOf(object)) && !isLitestreamTable(object),
  );
  const missing = expected.filter((object) => !foundTexts.has(textOf(object)));
  const [lost] = missing;
  if (foreign.length > 0) throw new Error(`${FOREIGN_SCHEMA} (it has ${listed(foreign)})`);
  // SQLite's own message for a missing object.
  if (lost !== undefined) throw new Error(`no such ${lost.type}: ${lost.name}`);
}

/** The same statements make a database file and this schema, so that the two cannot differ. */
function expectedObjects(version: number): SchemaObject[] {
  const connection = new Connection(':memory:');
  try {
    for (const sql of SCHEMA_STEPS.slice(0, version).flat()) connection.value(sql);
    return objectsOf(connection);
  } finally {
    connection.close();
  }
}

function objectsOf(connection: Connection): SchemaObject[] {
  return connection.rows(LIST_OBJECTS).map((row) => ({
    type: String(row['type']),
    name: String(row['name']),
    onTable: String(row['on_table']),
    sql: row['sql'] === null ? null : String(row['sql']),
    hasPages: row['has_pages'] === 1,
  }));
}

function textOf({ type, name, onTable, sql, hasPages }: SchemaObject): string {
  return JSON.stringify([type, name, onTable, sql, hasPages]);
}

/** An ordinary table of that name, with nothing beside it: no index, no trigger, no virtual table. */
function isLitestreamTable({ type, name, onTable, hasPages }: SchemaObject): boolean {
  return type === 'table' && name === onTable && hasPages && LITESTREAM_TABLES.has(name);
}

function listed(objects: readonly SchemaObject[]): string {
  const rest = objects.length - NAMED_MAX_OBJECTS;
  const named = objects.slice(0, NAMED_MAX_OBJECTS).map(described).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

/** The name comes from the file, so it is quoted and cut. */
function described({ type, name }: SchemaObject): string {
  const kind = ['table', 'index', 'view', 'trigger'].includes(type) ? type : 'object';
  return `the ${kind} ${JSON.stringify(name.slice(0, NAME_MAX_CHARACTERS))}`;
}
