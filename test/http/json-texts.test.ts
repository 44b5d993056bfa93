// Contract, "Request body rules": texts that are JSON or only look like it, each as a create
// and as a PATCH. `contract/request-body` has the rows that hosts read in their own way.

import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHandler, openRecords } from '../../src/handler.js';
import { openMemoryStorage } from '../../src/memory.js';
import { jsonTexts, type Text } from './json-texts.js';

const TEXTS = jsonTexts();
const GOOD = TEXTS.filter(({ wanted }) => wanted !== undefined);
const BAD = TEXTS.filter(({ wanted }) => wanted === undefined);
const BUSINESSES = 'http://localhost/api/v1/businesses';

type JsonObject = Record<string, unknown>;
interface Reply {
  readonly status: number;
  readonly data: JsonObject;
  readonly code: string | undefined;
  readonly total: number;
}

let handle: ReturnType<typeof createHandler>;

beforeEach(async () => {
  const storage = openMemoryStorage({ sampleRows: false });
  const identity = { identify: async () => ({ status: 'identified', subject: 'a' }) as const };
  handle = createHandler({ records: await openRecords({ storage }), identity });
});

async function send(method: string, path: string, bytes?: Buffer): Promise<Reply> {
  const headers = { Authorization: 'Bearer good' };
  const body = bytes === undefined ? {} : { body: Uint8Array.from(bytes) };
  const response = await handle(new Request(BUSINESSES + path, { method, headers, ...body }));
  const { data, error, meta } = await response.json();
  return { status: response.status, code: error?.code, data, total: meta.pagination?.total };
}

/** Sends the texts in turn and names those whose answer is not the wanted one. */
async function wrongOf(
  texts: readonly Text[],
  method: string,
  path: string,
  isRight: (reply: Reply, text: Text) => boolean,
): Promise<string[]> {
  const wrong = [];
  for (const text of texts) {
    const reply = await send(method, path, text.bytes);
    if (!isRight(reply, text)) wrong.push(`${text.what}: ${reply.status}`);
  }
  return wrong;
}

const isRefused = ({ status, code, data }: Reply) =>
  status === 400 && code === 'INVALID_JSON' && data === undefined;

it('The texts are of both kinds', () => {
  expect([GOOD.length, BAD.length]).toEqual([282, 1_343]);
});

describe('A text that is a JSON object', () => {
  it('is stored by a create as it was sent', async () => {
    const wrong = await wrongOf(GOOD, 'POST', '', ({ status, data }, { wanted }) => {
      const { id, owner_sub, ownerSub } = data;
      return status === 201 && isDeepStrictEqual(data, { ...wanted, id, owner_sub, ownerSub });
    });
    expect(wrong).toEqual([]);
    expect((await send('GET', '?page_size=1')).total).toBe(GOOD.length);
  });

  it('is merged by a PATCH, and the other members stay', async () => {
    let { data: record } = await send('POST', '', Buffer.from('{"kept":1}'));
    const path = `/${record['id']}`;
    const wrong = await wrongOf(GOOD, 'PATCH', path, ({ status, data }, { wanted }) => {
      record = { ...record, ...wanted };
      return status === 200 && isDeepStrictEqual(data, record);
    });
    expect(wrong).toEqual([]);
    expect(isDeepStrictEqual((await send('GET', path)).data, record)).toBe(true);
  });
});

describe('A text that is none', () => {
  it('is refused by a create, and nothing is stored', async () => {
    expect(await wrongOf(BAD, 'POST', '', isRefused)).toEqual([]);
    expect((await send('GET', '?page_size=1')).total).toBe(0);
  });

  it('is refused by a PATCH, and the record stays as it was', async () => {
    const { data: record } = await send('POST', '', Buffer.from('{"kept":1}'));
    const path = `/${record['id']}`;
    expect(await wrongOf(BAD, 'PATCH', path, isRefused)).toEqual([]);
    expect((await send('GET', path)).data).toEqual(record);
  });
});
