// Attacks that are always the same, each made for one bound, and the service without that bound,
// which the attack of the same row must find. controls.test.ts checks the texts against the build.
// For other bounds only tests, not attacks, show that they are missing:
// - BEGINNING_MS: the reads of a neighbour take 31 ms (p99) instead of 22; `admission/fair-scheduler`.
// - TURN_BYTES, the rests in a large body: 29 ms; `node/incoming-body`.
// - A search that copies its list: 5 ms. Lists are in chunks, and a copy of 200,000 rows takes little.

import type { Change } from '../service/changed-server.js';
import type { HostileClient } from './clients.js';

const CALM = { reads: 'everything', ends: 'stays', connections: 1 } as const;
const MANY_ANEW = { sends: 'each anew', connections: 2_000, everyMs: 2 } as const;

export const SCENARIOS = {
  'one connection without a token, which reads nothing': [
    { ...CALM, asks: ['a path without a token'], sends: 'at once', reads: 'nothing' },
  ],
  'eight connections without a token, which read': [
    { ...CALM, asks: ['a path without a token'], sends: 'at once', connections: 8 },
  ],
  '200,000 small orders, changed and searched': [
    { ...CALM, ...MANY_ANEW, asks: ['changes', 'one search'] },
  ],
  'changes and searches whose senders leave': [
    { ...CALM, ...MANY_ANEW, asks: ['changes', 'one search'], ends: 'vanishes' },
  ],
  'bodies of a mebibyte on 400 connections': [
    { ...CALM, asks: ['bodies that are no JSON'], sends: 'in turn', connections: 400 },
  ],
  'creates of a mebibyte whose senders vanish': [
    { ...CALM, asks: ['large creates'], sends: 'once', ends: 'vanishes', connections: 100 },
  ],
  'distinct searches of 200,000 orders, while 400 clients connect': [
    { ...CALM, asks: ['distinct searches'], sends: 'once', reads: 'slowly', connections: 400 },
    { ...CALM, asks: ['health'], sends: 'in drops', reads: 'nothing', connections: 400 },
  ],
} as const satisfies Readonly<Record<string, readonly HostileClient[]>>;

export interface Unbounded extends Change {
  readonly scenario: keyof typeof SCENARIOS;
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
    replacements: [['if (this.#lanes.size > 1 && this.#lanes.delete(account))', 'if (false)']],
    scenario: 'distinct searches of 200,000 orders, while 400 clients connect',
  },
  {
    name: 'the answers of a pipeline have no event-loop turn of their own',
    replacements: [['setImmediate(this.onTurn)', 'this.onTurn()']],
    scenario: 'eight connections without a token, which read',
  },
];
