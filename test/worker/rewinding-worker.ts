// The built Worker on storage that can go back, which the local runtime cannot: the two
// functions of the platform are replaced by ones that copy the database and put the copy
// back when the object is loaded again. Everything else is the Worker itself.

import worker, { AccountObject as Account, DirectoryObject } from '../../src/worker.js';

export { DirectoryObject };

type Given = ConstructorParameters<typeof Account>;
type SqlValue = string | number | null | ArrayBuffer;
type Row = Record<string, SqlValue>;

interface Storage {
  sql: { exec(query: string, ...bindings: SqlValue[]): Iterable<Row> };
  kv: { list(): Iterable<[string, unknown]> } & Record<
    'put' | 'delete',
    (...of: unknown[]) => void
  >;
  getBookmarkForTime(time: number): Promise<string>;
  onNextSessionRestoreBookmark(bookmark: string): Promise<string>;
}

/** By object and bookmark: like the platform's history, they are no part of the object. */
const history = new Map<string, Map<string, ReturnType<typeof copyOf>>>();
/** By object: the bookmarks to go back to, and to keep the present under, at the next load. */
const asked = new Map<string, { readonly back: string; readonly undo: string }>();
let bookmarks = 0;
let ignoresRestores = false;

export class AccountObject extends Account {
  constructor(...given: Given) {
    const [ctx] = given;
    const id = ctx.id.toString();
    const storage = ctx.storage as unknown as Storage;
    goBack(id, storage);
    storage.getBookmarkForTime = async (time) => {
      const copies = [...(history.get(id) ?? [])].filter(([, copy]) => copy.time <= time);
      const [bookmark] = copies.at(-1) ?? [];
      if (bookmark === undefined) throw new Error('the time is not kept');
      return bookmark;
    };
    storage.onNextSessionRestoreBookmark = async (back) => {
      if (!history.get(id)?.has(back)) throw new Error('no such bookmark');
      const undo = `bookmark-${++bookmarks}`;
      if (!ignoresRestores) asked.set(id, { back, undo });
      return undo;
    };
    super(...given);
  }

  /** Keeps the present state, as the platform does at every moment. */
  remember(): void {
    const { ctx } = this as unknown as { ctx: Given[0] };
    keep(ctx.id.toString(), `bookmark-${++bookmarks}`, ctx.storage as unknown as Storage);
  }
}

const TABLES = `
  select name, sql from sqlite_schema
   where sql is not null and name not like '\\_cf\\_%' escape '\\'`;

function keep(id: string, bookmark: string, storage: Storage): void {
  const copies = history.get(id) ?? new Map();
  history.set(id, copies.set(bookmark, copyOf(storage)));
}

/** The database now: its schema, the rows by table, its keys. */
function copyOf({ sql, kv }: Storage) {
  const objects = [...sql.exec(TABLES)];
  const tables = objects
    .filter((row) => String(row['sql']).startsWith('CREATE TABLE'))
    .map(({ name }) => [String(name), [...sql.exec(`select * from ${name}`)]] as const);
  const schema = objects.map((row) => String(row['sql']));
  return { time: Date.now(), schema, tables, keys: [...kv.list()] };
}

function goBack(id: string, storage: Storage): void {
  const { back = '', undo = '' } = asked.get(id) ?? {};
  if (!asked.delete(id)) return;
  keep(id, undo, storage);
  const copy = history.get(id)?.get(back);
  if (copy === undefined) throw new Error('the copy is gone');
  const { sql, kv } = storage;
  for (const { name } of [...sql.exec(TABLES)]) sql.exec(`drop table if exists ${name}`);
  for (const statement of copy.schema) sql.exec(statement);
  for (const [table, rows] of copy.tables) {
    for (const values of rows.map(Object.values)) {
      sql.exec(`insert into ${table} values (${values.map(() => '?')})`, ...values);
    }
  }
  for (const [key] of [...kv.list()]) kv.delete(key);
  for (const [key, value] of copy.keys) kv.put(key, value);
}

export default {
  async fetch(request: Request, env: Parameters<typeof worker.fetch>[1]): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/ignore-restores') ignoresRestores = true;
    else if (pathname === '/remember') {
      const { ACCOUNTS } = env;
      const stub: unknown = ACCOUNTS.get(ACCOUNTS.idFromName(searchParams.get('owner') ?? ''));
      await (stub as { remember(): Promise<void> }).remember();
    } else return worker.fetch(request, env);
    return new Response();
  },
};
