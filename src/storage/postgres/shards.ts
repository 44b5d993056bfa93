// Which shard an account belongs to: fixed for the life of a database.

import { hash } from 'node:crypto';

export const SHARD_COUNT = 256;

/** In hexadecimal digits. */
const FOUR_BYTES = 8;
const HEXADECIMAL = 16;

/**
 * The first four bytes of the subject's SHA-256, modulo the number of shards: with 256 of these,
 * the fourth byte. In SQL: `get_byte(sha256(convert_to(owner, 'UTF8')), 3)`.
 */
export function shardOf(owner: string): number {
  // A text costs a quarter of a buffer, and each request comes by here.
  return (
    Number.parseInt(hash('sha256', owner, 'hex').slice(0, FOUR_BYTES), HEXADECIMAL) % SHARD_COUNT
  );
}
