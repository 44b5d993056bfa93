// Hostile clients: what one asks for, how it sends, how it reads and how it ends. Any
// combination is a client.

import type { Random } from '../load/random.js';
import { REQUEST_NAMES, REQUESTS, type RequestName, type Template } from './requests.js';

/**
 * - `in turn`: each request after the answer to the one before.
 * - `at once`: one behind the other on one connection, as fast as the socket takes them.
 * - `each anew`: a new connection for each, which waits for no answer.
 * - `in drops`: a byte every 50 ms.
 * - `in tiny chunks`: as `at once`, bodies in chunks of two bytes.
 * - `once`: one request; then the connection is idle.
 */
const SENDING = ['in turn', 'at once', 'each anew', 'in drops', 'in tiny chunks', 'once'] as const;
const READING = ['everything', 'slowly', 'nothing'] as const;
/** `vanishes`: at a random moment of its first 300 ms, again and again. */
const ENDING = ['stays', 'half-closes', 'vanishes'] as const;

export interface HostileClient {
  readonly asks: readonly RequestName[];
  readonly sends: (typeof SENDING)[number];
  readonly reads: (typeof READING)[number];
  readonly ends: (typeof ENDING)[number];
  /** How many clients do the same. With `each anew`: the most that are open at once. */
  readonly connections: number;
  /** With `each anew`: the time between two connections. */
  readonly everyMs?: number;
}

/** A client as the attackers' process gets it. */
export interface Armed extends Omit<HostileClient, 'asks'> {
  readonly requests: readonly Template[];
  /** The first `{n}`. Two clients of a run have no number in common. */
  readonly first: number;
  readonly seed: number;
}

const NUMBERS_A_CLIENT = 10_000_000;

export function armed({ asks, ...client }: HostileClient, number: number, random: Random): Armed {
  const requests = asks.map((name): Template => REQUESTS[name]);
  const first = 1 + number * NUMBERS_A_CLIENT;
  return { ...client, requests, first, seed: random.between(0, 2 ** 31) };
}

/** A random client. */
export function composed(random: Random): HostileClient {
  const sends = random.oneOf(SENDING);
  const asks = Array.from({ length: random.between(1, 3) }, () => random.oneOf(REQUEST_NAMES));
  const idle = sends === 'in drops' || sends === 'once';
  return {
    asks,
    sends,
    reads: random.oneOf(READING),
    ends: random.oneOf(ENDING),
    connections:
      sends === 'each anew' || idle ? random.oneOf([10, 100, 400]) : random.oneOf([1, 1, 2, 4, 16]),
    everyMs: random.oneOf([2, 10, 50]),
  };
}

export function inWords({ asks, sends, reads, ends, connections }: HostileClient): string {
  return `${connections} × ${asks.join(' + ')}, ${sends}, reads ${reads}, ${ends}`;
}
