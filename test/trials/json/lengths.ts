// Lengths of bodies: exact to the byte at the limit, untrue lengths, and bodies that never
// reach their end.

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { megabytes, seconds, summary } from '../figures.js';
import { answersIn, flawOf, openRaw, overWithin, requestText } from '../http/raw-connection.js';
import { asAccount } from '../service/identity-provider.js';
import type { Service } from '../service/probed-service.js';
import type { Finding } from '../trial.js';

const BUSINESSES = '/api/v1/businesses';
const MAX_BYTES = 1_048_576;
const REQUEST_READ_TIMEOUT_MS = 15_000;
const TOLERANCE_MS = 1_000;
/** Memory that bodies without an end may leave behind. */
const HEAP_GROWTH_MAX_BYTES = 8_000_000;
const HEAP_LOOKS_MAX = 20;
const HEAP_LOOK_AGAIN_MS = 250;

/** Lengths around the limit, to the byte, in every framing. */
export async function edgeFinding({ origin }: Service): Promise<Finding> {
  const wrong = [];
  let tried = 0;
  for (const length of [MAX_BYTES - 1, MAX_BYTES, MAX_BYTES + 1, MAX_BYTES + 70_000]) {
    for (const pieceBytes of [undefined, length, 65_536, 65_535, 1_000]) {
      const connection = openRaw(
        origin,
        pieceBytes === undefined ? whole(length) : chunked(length, pieceBytes),
      );
      await overWithin(connection, 10_000);
      const answers = answersIn(connection.received());
      const wanted = length > MAX_BYTES ? 400 : 201;
      const flaw = answers.map(flawOf).find((found) => found !== '') ?? '';
      if (answers.length !== 1 || answers[0]?.status !== wanted || flaw !== '')
        wrong.push(
          `${length} bytes in pieces of ${pieceBytes}: ${answers.map(({ status }) => status)} ${flaw}`,
        );
      tried++;
    }
  }
  const total = await totalOf(origin, 'edge');
  if (total !== tried / 2) wrong.push(`${total} records are stored, not ${tried / 2}`);
  return {
    fault: 'bodies of 1 MiB, one byte less, one more, 70 000 more, by length and in chunks',
    tried: `${tried} bodies`,
    found: summary(wrong, 'up to 1 048 576 bytes 201, above 400; nothing more is stored'),
    holds: wrong.length === 0,
  };
}

/** Lengths that differ from the body's. */
export async function lyingFinding({ origin }: Service): Promise<Finding> {
  const head = (framing: Record<string, string>) =>
    requestText('POST', BUSINESSES, { ...asAccount('lies'), ...framing });
  const body = '{"note":"complete"}';
  const length = (bytes: number | string) => head({ 'Content-Length': `${bytes}` });
  const chunks = head({ 'Transfer-Encoding': 'chunked' });
  /** The lie, the bytes sent before the connection ends, the statuses of the answers. */
  const lies: [string, string, number[]][] = [
    ['a length that is too short', length(body.length - 1) + body, [400, 400]],
    ['a length of 0', length(0) + body, [400, 400]],
    ['a length of a part that is JSON', `${length(2)}{}${body}`, [201, 400]],
    ['a length that is too long', length(body.length + 1) + body, []],
    ['a length of 1 GiB', length(2 ** 30) + body, []],
    ['a length beyond every number', length('9'.repeat(30)) + body, [400]],
    ['a negative length', length(-1) + body, [400]],
    ['a length that is no number', length('0x13') + body, [400]],
    ['chunks without their end', `${chunks}13\r\n${body}\r\n`, []],
    ['a chunk that is too long', `${chunks}ff\r\n${body}\r\n0\r\n\r\n`, []],
    ['a chunk that is too short', `${chunks}5\r\n${body}\r\n0\r\n\r\n`, [400]],
    ['a chunk whose size is no number', `${chunks}zz\r\n${body}\r\n0\r\n\r\n`, [400]],
    [
      'a chunk of more than 2^64 bytes',
      `${chunks}${'f'.repeat(17)}\r\n${body}\r\n0\r\n\r\n`,
      [400],
    ],
    ['a negative chunk', `${chunks}-1\r\n${body}\r\n0\r\n\r\n`, [400]],
  ];
  const wrong = [];
  let stored = 0;
  const lie = async ([what, text, wanted]: (typeof lies)[number]) => {
    const connection = openRaw(origin, text);
    await overWithin(connection, 1_000);
    const answers = answersIn(connection.received());
    const statuses = answers.map(({ status }) => status);
    const flaw = answers.map(flawOf).find((found) => found !== '') ?? '';
    // The client of a body without an end is gone: an answer is allowed, but not required.
    const isRight =
      wanted.length === 0
        ? statuses.every((status) => status === 400)
        : isDeepStrictEqual(statuses, wanted);
    if (!isRight || flaw !== '') wrong.push(`${what}: ${statuses} ${flaw}`);
    stored += wanted.filter((status) => status === 201).length;
  };
  await Promise.all(lies.map(lie));
  const total = await totalOf(origin, 'lies');
  if (total !== stored) wrong.push(`${total} records are stored, not ${stored}`);
  return {
    fault: 'lengths and chunk sizes that lie: too short, too long, endless, no number',
    tried: `${lies.length} ways`,
    found: summary(wrong, 'refused or left alone, nothing of them stored'),
    holds: wrong.length === 0,
  };
}

export async function stalledFinding(service: Service, count: number): Promise<Finding> {
  const part = whole(MAX_BYTES).slice(0, -1_000);
  const before = await service.heapBytes();
  const connections = Array.from({ length: count }, () => openRaw(service.origin, part));
  const ends = await Promise.all(connections.map(({ over }) => over));
  const answers = connections.flatMap(({ received }) => answersIn(received()));
  const flaws = answers.map(flawOf).filter((flaw) => flaw !== '');
  const { peak } = service.memory();
  const kept = await keptBytes(service, before);
  const [soonest, latest] = [Math.min(...ends), Math.max(...ends)];
  const stored = await totalOf(service.origin, 'edge');
  const timely =
    soonest > REQUEST_READ_TIMEOUT_MS - TOLERANCE_MS &&
    latest < REQUEST_READ_TIMEOUT_MS + TOLERANCE_MS + count;
  return {
    fault: 'bodies of 1 MiB that stop 1 000 bytes before their end',
    tried: `${count} at once`,
    found: `${answers.filter(({ status }) => status === 408).length} answered 408, ended after ${seconds(soonest)} to ${seconds(latest)}, ${megabytes(peak)} of memory at most, ${megabytes(kept)} kept, ${stored - 10} stored ${flaws[0] ?? ''}`,
    holds:
      timely &&
      answers.length === count &&
      flaws.length === 0 &&
      answers.every(({ status }) => status === 408) &&
      kept < HEAP_GROWTH_MAX_BYTES &&
      stored === 10,
  };
}

/**
 * By how much the heap has grown. The connections end in the same moments as the clients see them
 * end, and their buffers are freed within a second after that: the look is repeated until they are.
 */
async function keptBytes(service: Service, before: number) {
  let kept = (await service.heapBytes()) - before;
  for (let looks = 1; kept >= HEAP_GROWTH_MAX_BYTES && looks < HEAP_LOOKS_MAX; looks++) {
    await delay(HEAP_LOOK_AGAIN_MS);
    kept = (await service.heapBytes()) - before;
  }
  return kept;
}

/** A create of so many bytes with Content-Length and `Connection: close`. */
function whole(length: number) {
  const framing = { 'Content-Length': `${length}`, Connection: 'close' };
  return requestText('POST', BUSINESSES, { ...asAccount('edge'), ...framing }, bodyOf(length));
}

/** The same create in chunks. */
function chunked(length: number, pieceBytes: number) {
  const framing = { 'Transfer-Encoding': 'chunked', Connection: 'close' };
  const body = bodyOf(length);
  let text = requestText('POST', BUSINESSES, { ...asAccount('edge'), ...framing });
  for (let start = 0; start < length; start += pieceBytes) {
    const piece = body.slice(start, start + pieceBytes);
    text += `${piece.length.toString(16)}\r\n${piece}\r\n`;
  }
  return `${text}0\r\n\r\n`;
}

/** An object of exactly so many bytes. */
function bodyOf(length: number) {
  return `{"note":"${'x'.repeat(length - '{"note":""}'.length)}"}`;
}

/** The number of businesses of an account. */
export async function totalOf(origin: string, subject: string) {
  const response = await fetch(`${origin}${BUSINESSES}?page_size=1`, {
    headers: asAccount(subject),
  });
  return Number(JSON.parse(await response.text()).meta.pagination.total);
}
