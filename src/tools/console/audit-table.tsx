// Audit events as a table, wherever a page shows some. What one import or erasure wrote
// is one row, which leads to its events.

import { isCollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { AuditEvent } from '../../operator-client.js';
import { type AuditGroup, itemsOf, mayGoOn } from './audit-groups.js';
import type { FoundEvents } from './audit-search.js';
import { cut } from './formats.js';
import { Head, Scroll, Value, type View } from './layout.js';
import { accountPath, PATHS, withQuery } from './paths.js';

const NAMES_SHOWN_MAX = 8;

interface AuditTableProps {
  readonly view: View;
  readonly found: Pick<FoundEvents, 'events' | 'searchedBackTo'>;
  readonly caption: string;
  /** Every event has a row of its own. */
  readonly isEach?: boolean;
  /** Rows at most. */
  readonly max?: number;
}

export function AuditTable({ view, found, caption, isEach = false, max }: AuditTableProps) {
  const { events, searchedBackTo } = found;
  const head = ['When', 'Action', 'Record', 'Account', 'Properties'];
  const items = isEach ? events.map((event) => ({ event })) : itemsOf(events);
  return (
    <Scroll label={caption}>
      <table class="stack">
        <Head names={head} />
        <tbody>
          {items
            .slice(0, max)
            .map((item) =>
              'event' in item ? (
                <EventRow view={view} event={item.event} />
              ) : (
                <GroupRow
                  view={view}
                  group={item.group}
                  isOpen={mayGoOn(item.group, searchedBackTo)}
                />
              ),
            )}
        </tbody>
      </table>
    </Scroll>
  );
}

function EventRow({ view, event }: { view: View; event: AuditEvent }) {
  const names = namesOf(view, event);
  return (
    <tr>
      <WhenAndWhat view={view} event={event} />
      <td class="id" data-label="Record">
        <RecordOf event={event} />
      </td>
      <AccountOf event={event} />
      <td class={names === '' ? 'none' : 'names'} data-label="Properties">
        <Value>{names}</Value>
      </td>
    </tr>
  );
}

interface GroupProps {
  readonly view: View;
  readonly group: AuditGroup;
  /** It may have more events than were looked at. */
  readonly isOpen: boolean;
}

function GroupRow({ view, group, isOpen }: GroupProps) {
  const { newest, oldest, count, resources } = group;
  const { formats } = view;
  const collection = resources.size === 1 ? newest.resource : undefined;
  const query = { account: newest.owner_sub, action: newest.action, collection };
  const range = { newest: newest.id, oldest: isOpen ? undefined : oldest.id };
  const each = withQuery(PATHS.audit, { ...query, ...range });
  const first = formats.time(oldest.timestamp);
  const parts = [...resources].map(([name, number]) => {
    if (!isCollectionName(name)) return `${formats.number(number)} ${name}`;
    const { short, heading } = COLLECTIONS[name].names;
    return `${formats.number(number)} ${number === 1 ? short : heading.toLowerCase()}`;
  });
  return (
    <tr>
      <WhenAndWhat view={view} event={newest} />
      <td data-label="Record">
        <a href={each}>{`${formats.number(count)} records${isOpen ? ' or more' : ''}`}</a>
      </td>
      <AccountOf event={newest} />
      <td class="names" data-label="In all">
        {parts.join(', ')}
        {first !== formats.time(newest.timestamp) && `; the first at ${first}`}
      </td>
    </tr>
  );
}

function WhenAndWhat({ view, event }: { view: View; event: AuditEvent }) {
  const { formats } = view;
  return (
    <>
      <td class="time" data-label="When">
        {formats.time(event.timestamp)}
      </td>
      <td data-label="Action">
        <span class={`action ${event.action}`}>{event.action}</span>
      </td>
    </>
  );
}

function AccountOf({ event: { owner_sub } }: { readonly event: AuditEvent }) {
  return (
    <td class={owner_sub === '' ? 'none' : undefined} data-label="Account">
      {owner_sub !== '' && (
        <a href={accountPath(owner_sub)}>
          <Value>{cut(owner_sub)}</Value>
        </a>
      )}
    </td>
  );
}

/** A deleted record has no page any more; a restore has a file's name. */
function RecordOf({ event }: { readonly event: AuditEvent }) {
  const { resource, record_id: id, owner_sub: account, action } = event;
  if (!isCollectionName(resource) || action === 'delete' || account === '') {
    return <Value>{cut(id)}</Value>;
  }
  return <a href={accountPath(account, resource, id)}>{id}</a>;
}

function namesOf({ formats }: View, { changed, changed_omitted = 0 }: AuditEvent): string {
  const shown = changed.slice(0, NAMES_SHOWN_MAX).map((name) => cut(name, 40));
  const more = changed.length - shown.length + changed_omitted;
  const names = shown.join(', ');
  return more === 0 ? names : `${names} and ${formats.number(more)} more`;
}
