// Attacks of the trial `hostile` that are always the same: each is made for one bound, and
// must fail where that bound is taken out.

import type { HostileClient } from './clients.js';

export interface Scenario {
  readonly clients: readonly HostileClient[];
  readonly seconds: number;
}

const CALM: Pick<HostileClient, 'reads' | 'ends' | 'connections'> = {
  reads: 'everything',
  ends: 'stays',
  connections: 1,
};

export const SCENARIOS = {
  'one connection without a token, which reads nothing': {
    clients: [{ ...CALM, asks: ['a path without a token'], sends: 'at once', reads: 'nothing' }],
    seconds: 10,
  },
  'eight connections without a token, which read': {
    clients: [{ ...CALM, asks: ['a path without a token'], sends: 'at once', connections: 8 }],
    seconds: 10,
  },
  '200,000 small orders, changed and searched': {
    clients: [
      {
        ...CALM,
        asks: ['changes', 'one search'],
        sends: 'each anew',
        connections: 2_000,
        everyMs: 2,
      },
    ],
    seconds: 10,
  },
  'changes and searches whose senders leave': {
    clients: [
      {
        ...CALM,
        asks: ['changes', 'one search'],
        sends: 'each anew',
        ends: 'vanishes',
        connections: 2_000,
        everyMs: 2,
      },
    ],
    seconds: 10,
  },
  'bodies of a mebibyte on 400 connections': {
    clients: [{ ...CALM, asks: ['bodies that are no JSON'], sends: 'in turn', connections: 400 }],
    seconds: 10,
  },
  'creates of a mebibyte whose senders vanish': {
    clients: [
      { ...CALM, asks: ['large creates'], sends: 'once', ends: 'vanishes', connections: 100 },
    ],
    seconds: 10,
  },
  'distinct searches of 200,000 orders, while 400 clients connect': {
    clients: [
      { ...CALM, asks: ['distinct searches'], sends: 'once', reads: 'slowly', connections: 400 },
      { ...CALM, asks: ['health'], sends: 'in drops', reads: 'nothing', connections: 400 },
    ],
    seconds: 10,
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
