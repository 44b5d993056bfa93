// Contract, "List" and "Limits": which page a query asks for, and what the
// answer says of it.

import { describe, expect, it } from 'vitest';
import {
  ADMIN_PAGE_SIZES,
  DATA_PAGE_SIZES,
  listQuery,
  offsetOf,
  pagination,
  singlePage,
} from '../../src/core/domain/listing.js';

function asked(query: string, sizes = DATA_PAGE_SIZES) {
  const { page, pageSize } = listQuery(new URLSearchParams(query), sizes);
  return { page, pageSize };
}

describe('listQuery, of the page,', () => {
  // More of these are in test/contract/list.test.ts.
  it.each([
    ['', { page: 1, pageSize: 20 }],
    [`page_size=${'9'.repeat(400)}`, { page: 1, pageSize: 100 }],
    ['page=9007199254740992', { page: Number.MAX_SAFE_INTEGER, pageSize: 20 }],
    [`page=${'9'.repeat(400)}`, { page: Number.MAX_SAFE_INTEGER, pageSize: 20 }],
    [`page=${'0'.repeat(400)}2`, { page: 2, pageSize: 20 }],
    ['page=x&page_size=7', { page: 1, pageSize: 7 }],
    ['page=3&page_size=x', { page: 3, pageSize: 20 }],
    ['Page=3&PAGE_SIZE=4&pageSize=5&per_page=6', { page: 1, pageSize: 20 }],
  ])('reads %s', (query, expected) => {
    expect(asked(query)).toEqual(expected);
  });

  it.each([
    ['', 50],
    ['page_size=200', 200],
    ['page_size=201', 200],
  ])('gives the operator for %j pages of %i', (query, pageSize) => {
    expect(asked(query, ADMIN_PAGE_SIZES)).toEqual({ page: 1, pageSize });
  });
});

describe('pagination', () => {
  it('tells page, size, rows and pages', () => {
    const told = { page: 3, page_size: 20, total: 21, total_pages: 2 };
    expect(pagination({ page: 3, pageSize: 20 }, 21)).toEqual(told);
  });

  it('of payments is one page, empty or not', () => {
    expect(singlePage(0)).toEqual({ page: 1, page_size: 0, total: 0, total_pages: 1 });
    expect(singlePage(250)).toEqual({ page: 1, page_size: 250, total: 250, total_pages: 1 });
  });

  it('keeps the offset of the farthest page a safe integer', () => {
    const { MAX_SAFE_INTEGER: page } = Number;
    expect(offsetOf({ page, pageSize: 200 })).toBe(page);
  });
});
