// Where a record is: its account and collection, as a path and as the links above a page.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { cut } from './formats.js';
import type { PageContext } from './parts.js';
import { accountPath, PATHS, textOf } from './paths.js';
import { HEADINGS } from './properties.js';

export interface RecordPlace {
  readonly account: string;
  readonly collection: CollectionName;
}

export function recordPath({ account, collection }: RecordPlace, id: string): string {
  return accountPath(account, collection, id);
}

export function placeOf(context: PageContext): RecordPlace {
  const collection = context.req.param('collection') as CollectionName;
  return { account: accountOf(context), collection };
}

export function accountOf(context: PageContext): string {
  return textOf(context.req.param('account') ?? '');
}

export function idOf(context: PageContext): string {
  return textOf(context.req.param('id') ?? '');
}

export function Crumbs({ place }: { readonly place?: RecordPlace }) {
  const links = [
    [PATHS.accounts, 'Accounts'],
    place && [accountPath(place.account), cut(place.account)],
    place && [accountPath(place.account, place.collection), HEADINGS[place.collection]],
  ].filter((link) => Array.isArray(link));
  return (
    <p class="caption">
      {links.map(([href, text], index) => (
        <>
          {index > 0 && ' › '}
          <a href={href}>
            <bdi>{text}</bdi>
          </a>
        </>
      ))}
    </p>
  );
}
