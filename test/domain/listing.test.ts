// Contract, "List": which page a query asks for. Sizes and totals are in test/contract.

import { describe, expect, it } from 'vitest';
import { DATA_PAGE_SIZES, listQuery, offsetOf } from '../../src/core/domain/listing.js';

describe('The page of a query', () => {
  // More of these: contract/paging.
  it.each([
    ['', { page: 1, pageSize: 20 }],
    [`page_size=${'9'.repeat(400)}`, { page: 1, pageSize: 100 }],
    ['page=9007199254740992', { page: Number.MAX_SAFE_INTEGER, pageSize: 20 }],
    [`page=${'9'.repeat(400)}`, { page: Number.MAX_SAFE_INTEGER, pageSize: 20 }],
    [`page=${'0'.repeat(400)}2`, { page: 2, pageSize: 20 }],
    ['page=x&page_size=7', { page: 1, pageSize: 7 }],
    ['page=3&page_size=x', { page: 3, pageSize: 20 }],
    ['Page=3&PAGE_SIZE=4&pageSize=5&per_page=6', { page: 1, pageSize: 20 }],
  ])('is read of %s', (query, expected) => {
    expect(listQuery(new URLSearchParams(query), DATA_PAGE_SIZES)).toMatchObject(expected);
  });
});

it('The offset of the farthest page is a safe integer', () => {
  const { MAX_SAFE_INTEGER: page } = Number;
  expect(offsetOf({ page, pageSize: 200 })).toBe(page);
});
