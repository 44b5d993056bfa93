// The frame of every page, and the small parts that several pages have.

import type { Child } from 'hono/jsx';
import type { Pagination } from '../../operator-client.js';
import type { Formats } from './formats.js';
import { PATHS, withQuery } from './paths.js';
import type { Session } from './sessions.js';

/** The values that every page needs. */
export interface View {
  readonly formats: Formats;
  /** Of the style and script files, so that browsers take new ones. */
  readonly assetVersion: string;
  readonly session: Session | undefined;
}

type NavName = 'overview' | 'accounts' | 'audit' | 'health';
const NAV: readonly (readonly [NavName, string])[] = [
  ['overview', 'Overview'],
  ['accounts', 'Accounts'],
  ['audit', 'Audit'],
  ['health', 'Health'],
];

/** A page as the text of a document. */
export function page(element: { toString(): string | Promise<string> }): string {
  return `<!doctype html>${element}`;
}

interface FrameProps {
  readonly view: View;
  readonly title: string;
  readonly current?: NavName | undefined;
  /** Milliseconds after which the script loads the page again, where the reader wants that. */
  readonly refreshMs?: number;
  readonly children?: Child;
}

export function Frame({ view, title, current, refreshMs, children }: FrameProps) {
  const { formats, assetVersion, session } = view;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Operator’s console`}</title>
        <link rel="icon" type="image/svg+xml" href={`/icon.svg?${assetVersion}`} />
        <link rel="stylesheet" href={`/console.css?${assetVersion}`} />
        <script src={`/page-script.js?${assetVersion}`} defer />
      </head>
      <body data-refresh={refreshMs}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header>
          <a class="brand" href={PATHS.overview}>
            <img src={`/icon.svg?${assetVersion}`} alt="" width="24" height="24" />
            Operator’s console
          </a>
          {session && (
            <>
              <nav aria-label="Pages">
                {NAV.map(([name, title]) => (
                  <a href={PATHS[name]} aria-current={name === current ? 'page' : undefined}>
                    {title}
                  </a>
                ))}
              </nav>
              <form method="post" action={PATHS.signOut}>
                <Token view={view} />
                <button type="submit" class="plain">
                  Sign out
                </button>
              </form>
            </>
          )}
        </header>
        <main id="content">{children}</main>
        <footer>{`Times are those of ${formats.timeZone}; the logs of the service and of this console have UTC.`}</footer>
      </body>
    </html>
  );
}

/** Every form that is sent carries the session's token. */
export function Token({ view }: { readonly view: View }) {
  return <input type="hidden" name="token" value={view.session?.formToken ?? ''} />;
}

interface NoticeProps {
  /** `plain`: a fact that is neither well nor wrong. */
  readonly kind: 'good' | 'bad' | 'note' | 'plain';
  readonly children?: Child;
}

export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** A value that a person wrote, with its own direction of writing. */
export function Value({ children }: { readonly children?: Child }) {
  return <bdi>{children}</bdi>;
}

/** A table that scrolls by itself where the screen is narrow, also by keyboard. */
export function Scroll({ label, children }: { readonly label: string; readonly children?: Child }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section of its own would be one more heading
    <div class="scroll" role="region" aria-label={label} tabindex={0}>
      {children}
    </div>
  );
}

/** The first row of a table; `numbers`: the columns at its end that hold numbers. */
export function Head({
  names,
  numbers = [],
}: {
  readonly names: readonly string[];
  readonly numbers?: readonly string[];
}) {
  return (
    <thead>
      <tr>
        {[...names, ...numbers].map((name, index) => (
          <th scope="col" class={index < names.length ? undefined : 'number'}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface SearchProps {
  readonly path: string;
  readonly q: string;
  readonly label: string;
  readonly hint?: string;
  /** What the query keeps beside the text. */
  readonly more?: Readonly<Record<string, string | undefined>>;
}

export function Search({ path, q, label, hint, more = {} }: SearchProps) {
  return (
    <search>
      <form method="get" action={path} class="search">
        <label for="q">{label}</label>
        <input id="q" type="search" name="q" value={q} placeholder={hint} maxlength={200} />
        {Object.entries(more).map(
          ([name, value]) =>
            value !== undefined && <input type="hidden" name={name} value={value} />,
        )}
        <button type="submit">Search</button>
        {q !== '' && <a href={path}>Show all</a>}
      </form>
    </search>
  );
}

interface PagesProps {
  readonly view: View;
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  readonly pagination: Pagination;
}

export function Pages({ view, path, query, pagination }: PagesProps) {
  const { formats } = view;
  const { page, total_pages: pages } = pagination;
  if (page > Math.max(pages, 1)) {
    return (
      <p class="pages">
        There is nothing on this page. <a href={withQuery(path, query)}>Go to the first page</a>
      </p>
    );
  }
  if (pages <= 1) return null;
  const at = (number: number) => withQuery(path, { ...query, page: number });
  return (
    <nav class="pages" aria-label={`Page ${formats.number(page)} of ${formats.number(pages)}`}>
      {page > 1 && (
        <a href={at(page - 1)} rel="prev">
          Previous
        </a>
      )}
      <span>{`Page ${formats.number(page)} of ${formats.number(pages)}`}</span>
      {page < pages && (
        <a href={at(page + 1)} rel="next">
          Next
        </a>
      )}
    </nav>
  );
}

/** Lines to paste into a shell. */
export function Commands({ lines }: { readonly lines: readonly string[] }) {
  return (
    <pre class="commands">
      <code>{lines.join('\n')}</code>
    </pre>
  );
}

/** Names and values, one below the other. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, Child])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
