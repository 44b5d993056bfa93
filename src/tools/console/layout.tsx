// The frame of every page, and components that several pages share.

import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { Pagination } from '../../operator-client.js';
import { truncate } from '../data/errors.js';
import { TIME_ZONE } from './formats.js';
import { accountPath, PATHS, withQuery } from './paths.js';
import { HEADINGS, type RecordScope } from './properties.js';

const NAV = ['overview', 'accounts', 'audit', 'health'] as const;

interface FrameProps {
  readonly title: string;
  readonly current?: (typeof NAV)[number];
  /** Whether to show the navigation, which requires a session. */
  readonly isSignedIn?: boolean;
  readonly children?: Child;
}

/** A whole page. */
export function Frame({ title, current, isSignedIn = true, children }: FrameProps) {
  return (
    <>
      {raw('<!doctype html>')}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>{`${title} · Operator’s console`}</title>
          <link rel="icon" type="image/svg+xml" href="/icon.svg" />
          <link rel="stylesheet" href="/console.css" />
        </head>
        <body>
          <a class="skip" href="#content">
            Skip to the content
          </a>
          <header>
            <a class="brand" href={PATHS.overview}>
              <img src="/icon.svg" alt="" width="24" height="24" />
              Operator’s console
            </a>
            {isSignedIn && (
              <>
                <nav aria-label="Pages">
                  {NAV.map((name) => (
                    <a href={PATHS[name]} aria-current={name === current ? 'page' : undefined}>
                      {name}
                    </a>
                  ))}
                </nav>
                <form method="post" action={PATHS.signOut}>
                  <button type="submit" class="plain">
                    Sign out
                  </button>
                </form>
              </>
            )}
          </header>
          <main id="content">{children}</main>
          <footer>{`Times are in ${TIME_ZONE}; logs are in UTC.`}</footer>
        </body>
      </html>
    </>
  );
}

interface NoticeProps {
  readonly kind: 'good' | 'bad' | 'note';
  readonly children?: Child;
}

export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** How many columns at the end hold numbers. */
  readonly numbers?: number;
  /** The first cell heads its row. */
  readonly rows: readonly (readonly Child[])[];
}

/** Scrolls independently on a narrow screen, even by keyboard. On a phone, rows are blocks of lines. */
export function Table({ label, columns, numbers = 0, rows }: TableProps) {
  if (rows.length === 0) return null;
  const kind = (index: number) => (index >= columns.length - numbers ? 'number' : undefined);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would be one more heading
    <div class="scroll" role="region" aria-label={label} tabindex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name, index) => (
              <th scope="col" class={kind(index)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells]) => (
            <tr>
              <th scope="row">
                <bdi>{head}</bdi>
              </th>
              {cells.map((cell, index) => (
                <td class={kind(index + 1)} data-label={columns[index + 1]}>
                  <bdi>{cell}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Search({ path, q, label }: { path: string; q: string; label: string }) {
  return (
    <search>
      <form method="get" action={path} class="search">
        <label for="q">{label}</label>
        <input id="q" type="search" name="q" value={q} maxlength={200} />
        <button type="submit">Search</button>
        {q !== '' && <a href={path}>Show all</a>}
      </form>
    </search>
  );
}

export function Pages(props: { path: string; query: { q: string }; pagination: Pagination }) {
  const { path, query, pagination } = props;
  const { page, total_pages: pages } = pagination;
  const link = (number: number, text: string, rel: 'prev' | 'next') => (
    <a href={withQuery(path, { ...query, page: number })} rel={rel}>
      {text}
    </a>
  );
  if (page > Math.max(pages, 1)) return <p>This page is empty. {link(1, 'First page', 'prev')}</p>;
  if (pages <= 1) return null;
  return (
    <nav class="actions" aria-label="Pages of the list">
      {page > 1 && link(page - 1, 'Previous', 'prev')}
      {`Page ${page} of ${pages}`}
      {page < pages && link(page + 1, 'Next', 'next')}
    </nav>
  );
}

export function DescriptionList({ rows }: { rows: readonly (readonly [string, Child])[] }) {
  return (
    <dl class="description">
      {rows.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Breadcrumbs: links to the accounts, and to a record's account and collection. */
export function Crumbs({ record }: { readonly record?: RecordScope }) {
  return (
    <p class="caption">
      <a href={PATHS.accounts}>Accounts</a>
      {record && (
        <>
          {' › '}
          <a href={accountPath(record.account)}>
            <bdi>{truncate(record.account)}</bdi>
          </a>
          {' › '}
          <a href={accountPath(record.account, record.collection)}>{HEADINGS[record.collection]}</a>
        </>
      )}
    </p>
  );
}
