// Audit events as a table, wherever a page shows some.

import { isCollectionName } from '../../core/domain/collection-name.js';
import type { AuditEvent } from '../../operator-client.js';
import { cut } from './formats.js';
import { Scroll, Value, type View } from './layout.js';
import { accountPath } from './paths.js';

const NAMES_SHOWN_MAX = 8;

interface AuditTableProps {
  readonly view: View;
  readonly events: readonly AuditEvent[];
  readonly caption: string;
}

export function AuditTable({ view, events, caption }: AuditTableProps) {
  const { words, formats } = view;
  const head = ['when', 'action', 'record', 'account', 'changed'] as const;
  return (
    <Scroll label={caption}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th scope="col">{words.audit[name]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr>
              <td class="time">{formats.time(event.timestamp)}</td>
              <td>
                <span class={`action ${event.action}`}>{words.actions[event.action]}</span>
              </td>
              <td class="id">
                <RecordOf event={event} />
              </td>
              <td>
                {event.owner_sub === '' ? null : (
                  <a href={accountPath(event.owner_sub)}>
                    <Value>{cut(event.owner_sub)}</Value>
                  </a>
                )}
              </td>
              <td class="names">
                <Value>{namesOf(view, event)}</Value>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
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

function namesOf({ words, formats }: View, { changed, changed_omitted = 0 }: AuditEvent): string {
  const shown = changed.slice(0, NAMES_SHOWN_MAX).map((name) => cut(name, 40));
  const more = changed.length - shown.length + changed_omitted;
  const names = shown.join(', ');
  return more === 0 ? names : `${names} ${words.audit.more(formats.number(more))}`;
}
