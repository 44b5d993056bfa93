// The body that a response is made with: one text, bytes, or pieces.

import { afterEach, expect, it, vi } from 'vitest';
import { Admission } from '../../src/core/admission/admission.js';
import { FairScheduler } from '../../src/core/admission/fair-scheduler.js';
import { pagination } from '../../src/core/domain/listing.js';
import { data, failure, list } from '../../src/core/http/answer.js';
import { answerStreams, LONG_ANSWER_CHARACTERS } from '../../src/core/http/answer-stream.js';
import { type EnvelopeFacts, respond } from '../../src/core/http/envelope.js';

const EXCHANGE: EnvelopeFacts = { requestId: 'req-~', now: 0, originHeaders: {} };
const rows = (...texts: string[]) =>
  list(texts, pagination({ page: 1, pageSize: 100 }, texts.length));
const textOf = (characters: number) => `"${'x'.repeat(characters - 2)}"`;
const LONG = LONG_ANSWER_CHARACTERS;

afterEach(() => vi.unstubAllGlobals());

it.each([
  ['a record of 65,536 characters', 'whole', data(textOf(LONG))],
  ['a longer record', 'in pieces', data(textOf(LONG + 1))],
  ['rows of 65,536 characters', 'whole', rows(textOf(LONG - 3), '"1"')],
  ['longer rows', 'in pieces', rows(textOf(LONG - 3), '"12"')],
  ['no rows', 'whole', rows()],
])('An answer of %s is sent %s', (_name, expected, answer) => {
  const scheduler = new FairScheduler();
  const streams = answerStreams(scheduler, new Admission(scheduler));
  let sent = 'whole';
  respond(answer, EXCHANGE, (pieces) => {
    sent = 'in pieces';
    return streams('neema')(pieces);
  });
  expect(sent).toBe(expected);
});

it.each([
  ['a text where the request id is ASCII', 'req-~', 'string'],
  [
    'bytes where the request id is not ASCII, because Node would send a text as UTF-8',
    'req-\u00e9',
    'object',
  ],
])('A body is %s', (_name, requestId, type) => {
  const bodies: unknown[] = [];
  class Watched extends Response {
    constructor(body?: BodyInit | null, init?: ResponseInit) {
      super(body, init);
      bodies.push(body);
    }
  }
  vi.stubGlobal('Response', Watched);
  const exchange = { ...EXCHANGE, requestId };
  respond(data('{}'), exchange);
  respond(failure({ code: 'NOT_FOUND', message: 'gone' }), exchange);
  expect(bodies.map((body) => typeof body)).toEqual([type, type]);
});
