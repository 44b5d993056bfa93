// The trial `json`: bodies of every kind. A valid body is stored as sent, a refused body
// stores nothing, and neither leaves memory behind.

import { isDeepStrictEqual } from 'node:util';
import { megabytes, summary } from './figures.js';
import { corpus } from './json/corpus.js';
import { edgeFinding, lyingFinding, stalledFinding, totalOf } from './json/lengths.js';
import { asAccount } from './service/identity-provider.js';
import type { Service } from './service/probed-service.js';
import { startOn } from './service/probed-service.js';
import type { Finding, Trial } from './trial.js';

const BUSINESSES = '/api/v1/businesses';
const MAX_BYTES = 1_048_576;
/** Memory that 300 refused bodies of 1 MiB may leave behind. */
const HEAP_GROWTH_MAX_BYTES = 8_000_000;
const AT_ONCE = 8;

export const json: Trial = async ({ quick, folder, say }) => {
  const service = await startOn(folder);
  try {
    say('the corpus');
    const findings = [await corpusFinding(service.running)];
    say('the edge of 1 MiB, and lengths that lie');
    findings.push(await edgeFinding(service.running), await lyingFinding(service.running));
    say('bodies that stop coming');
    findings.push(await stalledFinding(service.running, quick ? 20 : 200));
    say('memory');
    findings.push(await memoryFinding(service.running, quick ? 300 : 3_000));
    return findings;
  } finally {
    await service.close();
  }
};

/** Sends every text as a create, and as a PATCH of a stored record. */
export async function corpusFinding({ origin }: Service): Promise<Finding> {
  const texts = corpus();
  const headers = asAccount('corpus');
  const url = origin + BUSINESSES;
  const wrong: string[] = [];
  const send = async (method: string, path: string, body: Buffer) => {
    const response = await fetch(url + path, { method, headers, body: new Uint8Array(body) });
    const { data, error } = JSON.parse(await response.text());
    return { status: response.status, data, code: error?.code };
  };
  const { data: first } = await send('POST', '', Buffer.from('{}'));
  const { id, owner_sub, ownerSub } = first;
  let stored = 1;
  await atOnce(texts, async ({ what, bytes, wanted }) => {
    const created = await send('POST', '', bytes);
    if (wanted === undefined) {
      if (created.status !== 400 || created.code !== 'INVALID_JSON')
        wrong.push(`${what}: POST ${created.status}`);
    } else {
      stored++;
      const expected = { ...wanted, id: created.data?.id, owner_sub, ownerSub };
      if (created.status !== 201 || !isDeepStrictEqual(created.data, expected))
        wrong.push(`${what}: POST ${created.status}, stored something else`);
    }
  });
  // One after the other: each PATCH changes what the next one finds.
  let record: Record<string, unknown> = first;
  for (const { what, bytes, wanted } of texts) {
    const patched = await send('PATCH', `/${id}`, bytes);
    if (wanted !== undefined) record = { ...record, ...wanted };
    const expected = wanted === undefined ? [400, undefined] : [200, record];
    if (!isDeepStrictEqual([patched.status, patched.data], expected))
      wrong.push(`${what}: PATCH ${patched.status}`);
  }
  const { data: kept } = JSON.parse(await (await fetch(`${url}/${id}`, { headers })).text());
  if (!isDeepStrictEqual(kept, record))
    wrong.push('the record that was patched holds something else');
  const total = await totalOf(origin, 'corpus');
  if (total !== stored) wrong.push(`${total} records are stored, not ${stored}`);
  const refused = texts.filter(({ wanted }) => wanted === undefined).length;
  return {
    fault: 'bodies that are JSON, nearly JSON and no JSON, as POST and as PATCH',
    tried: `${texts.length} texts (${refused} to be refused), twice each`,
    found: summary(wrong, 'every text stored as sent, or refused with 400 and not stored'),
    holds: wrong.length === 0,
  };
}

/** Refused bodies must leave no memory behind. */
export async function memoryFinding(service: Service, count: number): Promise<Finding> {
  const headers = asAccount('memory');
  const bodies = [
    `{"a":"${'x'.repeat(MAX_BYTES)}"}`,
    '['.repeat(MAX_BYTES),
    `{"a":${'[0,'.repeat(300_000)}`,
    `{"a":"${'é'.repeat(500_000)}`,
  ];
  const wrong = new Set();
  const send = async (body: string | undefined) => {
    const response = await fetch(service.origin + BUSINESSES, {
      method: 'POST',
      headers,
      body: body ?? '',
    });
    await response.arrayBuffer();
    if (response.status !== 400) wrong.add(response.status);
  };
  for (const body of bodies) await send(body);
  const before = await service.heapBytes();
  await atOnce(
    Array.from({ length: count }, (_, i) => bodies[i % bodies.length]),
    send,
  );
  const growth = (await service.heapBytes()) - before;
  return {
    fault: 'bodies of 1 MiB and more that are refused',
    tried: `${count}, ${AT_ONCE} at a time`,
    found: `${wrong.size === 0 ? 'all' : `not all, ${[...wrong]},`} 400; ${megabytes(Math.max(growth, 0))} of memory more than before`,
    holds: wrong.size === 0 && growth < HEAP_GROWTH_MAX_BYTES,
  };
}

/** Calls `work` for each item, a few at a time. */
async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<void>) {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
