// Which shard an account belongs to: fixed for the life of a database.

import { hash } from 'node:crypto';

export const SHARD_COUNT = 256;

/**
 * The first four bytes of the subject's SHA-256, modulo the number of shards: with 256 of these,
 * the fourth byte. In SQL: `get_byte(sha256(convert_to(owner, 'UTF8')), 3)`.
 */
export function shardOf(owner: string): number {
  return hash('sha256', owner, 'buffer').readUInt32BE(0) % SHARD_COUNT;
}
