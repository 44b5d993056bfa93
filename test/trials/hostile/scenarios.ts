// Attacks that are always the same, each made for one bound.

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
