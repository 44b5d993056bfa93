// List queries: the requested page and filters, and the pagination of the response.

import type { Pagination } from './api-schema.js';
import * as limits from './limits.js';

/** A request's query parameters, read-only. */
export type Query = Omit<URLSearchParams, 'append' | 'delete' | 'set' | 'sort'>;

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** The query of a collection. An empty `q` or `status` doesn't filter. */
export interface ListQuery extends PageRequest {
  readonly q: string;
  readonly status: string;
}

/** The rows of a response: their JSON texts, or a lazily generated text of all, comma-separated, in pieces. */
export type Rows = readonly string[] | AsyncIterable<string>;

/** The rows of one page, and the number of rows on all pages. */
export interface RowsPage<R extends Rows = Rows> {
  readonly items: R;
  readonly total: number;
}

export type Page = RowsPage<readonly string[]>;

export const DATA_PAGE_SIZES = { default: limits.PAGE_SIZE_DEFAULT, max: limits.PAGE_SIZE_MAX };
export const ADMIN_PAGE_SIZES = {
  default: limits.ADMIN_PAGE_SIZE_DEFAULT,
  max: limits.ADMIN_PAGE_SIZE_MAX,
};

/** "Invalid value falls back to default", "values over [the maximum] are capped". */
export function listQuery(query: Query, sizes: typeof DATA_PAGE_SIZES): ListQuery {
  return {
    page: positiveInteger(query.get('page')) ?? limits.PAGE_DEFAULT,
    pageSize: Math.min(positiveInteger(query.get('page_size')) ?? sizes.default, sizes.max),
    q: query.get('q') ?? '',
    status: query.get('status') ?? '',
  };
}

/** Number of rows before the page, at most 2^53 - 1, which no list reaches. */
export function offsetOf({ page, pageSize }: PageRequest): number {
  return Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
}

/** "Empty editable collections report total 0 and total_pages 0." */
export function pagination({ page, pageSize }: PageRequest, total: number): Pagination {
  return { page, page_size: pageSize, total, total_pages: Math.ceil(total / pageSize) };
}

/** From plain decimal digits, at most 2^53 - 1, which no list reaches. Undefined if the text isn't one. */
function positiveInteger(text: string | null): number | undefined {
  if (text === null || !/^[0-9]+$/.test(text)) return undefined;
  const number = Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  return number >= 1 ? number : undefined;
}
