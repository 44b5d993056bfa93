// The paths of the console's pages, and how subjects and ids are escaped in them.

import type { CollectionName } from '../../core/domain/collection-name.js';
import type { PageContext } from './deps.js';

export const PATHS = {
  overview: '/',
  accounts: '/accounts',
  audit: '/audit',
  health: '/health',
  signIn: '/sign-in',
  signOut: '/sign-out',
} as const;

/** An account's tab that is computed from its orders. */
export const PAYMENTS = 'payments';
export type Tab = CollectionName | typeof PAYMENTS;

/** The source of a tab's rows. */
export function collectionOf(tab: Tab): CollectionName {
  return tab === PAYMENTS ? 'orders' : tab;
}

export function accountPath(account: string, ...rest: readonly string[]): string {
  return [PATHS.accounts, ...[account, ...rest].map(segmentOf)].join('/');
}

/** Omits empty values. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Browsers resolve `.` and `..`, even encoded. As in the API, a `~` escapes them, and texts that already look escaped. */
function segmentOf(text: string): string {
  // A lone surrogate cannot be encoded; no id has one.
  const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD');
  return encodeURIComponent(/^~*\.{1,2}$/.test(whole) ? `~${whole}` : whole);
}

/** The subject or id in the page's path. */
export function segmentIn(context: PageContext, name: 'account' | 'id'): string {
  const segment = context.req.param(name) ?? '';
  return /^~+\.{1,2}$/.test(segment) ? segment.slice(1) : segment;
}

/** `next` if it is a path of the console, otherwise the overview. Prevents an open redirect. */
export function localPath(next: string | undefined): string {
  const base = 'http://console.invalid';
  if (!next?.startsWith('/') || !URL.canParse(next, base)) return PATHS.overview;
  const { origin, pathname, search } = new URL(next, base);
  return origin === base && !pathname.startsWith('//') ? pathname + search : PATHS.overview;
}
