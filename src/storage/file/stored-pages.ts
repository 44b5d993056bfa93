// The file's rows in pages, for the start. SQLite joins the bodies of a page to one text, because
// the library takes 9 µs for a row: here 2,000 rows come as six texts.
// A record's body is then a slice of its page's text, which it keeps alive.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { PutRow } from '../../core/records/record-storage.js';
import { ofTwoOwners, storedFacts, unusable } from '../../core/records/stored-facts.js';
import type { Connection } from './connection.js';
import { FIND_CUT_ROW, LOAD_EARLIER_PAGE, LOAD_PAGE, MEASURE_PAGE } from './file-schema.js';
import { ownerColumn, statusOfColumn } from './record-columns.js';

/** A larger page takes longer a row: its texts leave the processor's cache. */
const PAGE_MAX_ROWS = 2_000;
const PAGE_MAX_BYTES = 8_000_000;

/** It stands behind each body of a page. JSON has it only as an escape. */
const BORDER = '\x1e';
/** How a body begins that this program writes: the id and the owner come first. */
const BEFORE_ID = '{"id":"';
const BEYOND_LATIN_1 = /[^\0-\xff]/;

/** As it goes from the storage thread to the main thread. */
export interface StoredPage {
  readonly bodies: string;
  /** JSON arrays with an entry for each row. */
  readonly positions: string;
  readonly collections: string;
  /** JSON object: ids by position, of the rows whose body does not begin with the id. */
  readonly ids: string;
  /** The columns; undefined for a file of a version without them. */
  readonly owners: string | undefined;
  readonly statuses: string | undefined;
  /** Position of its last row. */
  readonly last: number;
}

/** A page of the rows after `position`; undefined at the end. Throws, naming the row, where one is no JSON. `hasColumns`: for owner and status. */
export function storedPage(
  connection: Connection,
  position: number,
  hasColumns = true,
): StoredPage | undefined {
  let rows = PAGE_MAX_ROWS;
  const measured = () => connection.rows(MEASURE_PAGE, [position, rows])[0] ?? {};
  let measure = measured();
  while (rows > 1 && Number(measure['bytes']) > PAGE_MAX_BYTES) {
    rows = Math.ceil(rows / 4);
    measure = measured();
  }
  const { last } = measure;
  if (typeof last !== 'number') return undefined;
  const sql = hasColumns ? LOAD_PAGE : LOAD_EARLIER_PAGE;
  const page = connection.rows(sql, [position, last])[0] ?? {};
  const text = (name: string) => String(page[name]);
  // The library cuts a text at a NUL character.
  const isCut = !text('bodies').endsWith(BORDER);
  const wrong = isCut ? connection.value(FIND_CUT_ROW, [position, last]) : page['wrong'];
  if (wrong !== null) throw unusable(JSON.parse(String(wrong)), 'is not JSON');
  return {
    bodies: text('bodies'),
    positions: text('positions'),
    collections: text('collections'),
    ids: text('ids'),
    owners: hasColumns ? text('owners') : undefined,
    statuses: hasColumns ? text('statuses') : undefined,
    last,
  };
}

/** Throws, naming the row, where one has another owner in its body than in its column. */
export function rowsOf(page: StoredPage): PutRow[] {
  const bodies = bodiesOf(page);
  const positions: number[] = JSON.parse(page.positions);
  const collections: CollectionName[] = JSON.parse(page.collections);
  const ids: Record<number, string> = JSON.parse(page.ids);
  const owners: (string | null)[] | undefined = page.owners && JSON.parse(page.owners);
  const statuses: (string | number | null)[] = JSON.parse(page.statuses ?? '[]');
  let [owner, afterId]: [string | null | undefined, string] = [undefined, ''];
  return bodies.map((body, i): PutRow => {
    const [position, collection] = [positions[i] ?? 0, collections[i] as CollectionName];
    if (owners?.[i] !== owner) {
      owner = owners?.[i];
      afterId = `","owner_sub":${JSON.stringify(owner)}`;
    }
    const idEnd = body.indexOf('"', BEFORE_ID.length);
    const given = ids[position];
    const id = given ?? body.slice(BEFORE_ID.length, idEnd);
    const isPlain =
      given === undefined &&
      body.slice(idEnd, idEnd + afterId.length) === afterId &&
      !id.includes('\\');
    // Parsing a body takes several times longer, and so does a spread of another object.
    if (isPlain && typeof owner === 'string') {
      const status = statusOfColumn(statuses[i] ?? null);
      return { position, collection, id, body, owner, status };
    }
    const row = { position, collection, id, body };
    const facts = storedFacts(row);
    if (owners !== undefined && ownerColumn(facts.owner) !== owner) throw ofTwoOwners(row);
    return { ...row, ...facts };
  });
}

/** One letter beyond Latin-1 makes each character of a page two bytes: its bodies become texts of their own. */
function bodiesOf({ bodies }: StoredPage): string[] {
  const parts = bodies.split(BORDER);
  parts.pop();
  return BEYOND_LATIN_1.test(bodies) ? parts.map((part) => Buffer.from(part).toString()) : parts;
}
