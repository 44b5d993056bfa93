// Which record a path names, and what is shown where it is not there.

import type { Context } from 'hono';
import { isCollectionName } from '../../core/domain/collection-name.js';
import type { StoredRecord } from '../data/service.js';
import { page } from './layout.js';
import type { ConsoleParts, PageEnvironment } from './parts.js';
import { textOf } from './paths.js';
import { GoneRecordPage, type RecordPlace } from './record-pages.js';
import { isNotFound } from './service.js';

export type PageContext = Context<PageEnvironment>;

/** Undefined where the account has no such record. */
export async function recordOf(
  { service }: ConsoleParts,
  context: PageContext,
  { account, collection }: RecordPlace,
): Promise<StoredRecord | undefined> {
  try {
    return await service.records(account, collection).read(idOf(context));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export function gone(context: PageContext, place: RecordPlace) {
  return context.html(page(<GoneRecordPage view={context.get('view')} place={place} />), 404);
}

/** Undefined where the path names no collection. */
export function placeOf(context: PageContext): RecordPlace | undefined {
  const collection = context.req.param('collection') ?? '';
  if (!isCollectionName(collection)) return undefined;
  return { account: textOf(context.req.param('account') ?? ''), collection };
}

export function idOf(context: PageContext): string {
  return textOf(context.req.param('id') ?? '');
}
