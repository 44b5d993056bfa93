// The service without one of its bounds, one row for each: the attack of the same row must find
// it. controls.test.ts holds the texts to the build. Not here, because the attacks do not tell them
// from the whole service, and tests do:
// - BEGINNING_MS: the reads of a neighbour take 31 ms (p99) in place of 22; `admission/fair-scheduler`.
// - TURN_BYTES, the rests in a large body: 29 ms; `node/incoming-body`.
// - A search that copies its list: 5 ms. Lists are in chunks, and a copy of 200,000 rows takes little.

import type { Change } from '../service/changed-server.js';
import type { ScenarioName } from './scenarios.js';

export interface Unbounded extends Change {
  readonly scenario: ScenarioName;
}

export const UNBOUNDED: readonly Unbounded[] = [
  {
    name: 'a connection is read on, however many of its requests wait',
    replacements: [
      ['response._onPendingData(change * (socket.writableHighWaterMark + 1));', ''],
      ['WAITING_TOTAL_MAX = 8192', 'WAITING_TOTAL_MAX = Infinity'],
    ],
    scenario: 'one connection without a token, which reads nothing',
  },
  {
    name: 'the bytes of bodies and answers are not counted',
    replacements: [
      ['accountMaxBytes: 16 * 1048576', 'accountMaxBytes: Infinity'],
      ['totalMaxBytes: 64 * 1048576', 'totalMaxBytes: Infinity'],
    ],
    scenario: 'bodies of a mebibyte on 400 connections',
  },
  {
    name: 'long work is not sliced',
    replacements: [['sliceMs: 2,', 'sliceMs: 2e3,']],
    scenario: '200,000 small orders, changed and searched',
  },
  {
    name: 'accounts are not served in rotation',
    replacements: [['if (lane.items.length > 0 && this.#lanes.size > 1) {', 'if (false) {']],
    scenario: 'distinct searches of 200,000 orders, while 400 clients connect',
  },
  {
    name: 'the answers of a pipeline have no event-loop turn of their own',
    replacements: [['setImmediate(this.onTurn)', 'this.onTurn()']],
    scenario: 'eight connections without a token, which read',
  },
];
