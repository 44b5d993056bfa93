// Audit events as a table, for every page that shows them.

import { isCollectionName } from '../../core/domain/collection-name.js';
import type { AuditEvent } from '../../operator-client.js';
import type { AuditRow, FoundEvents } from './audit-search.js';
import { counted, cut, numberText, timeText } from './formats.js';
import { Table } from './layout.js';
import { accountPath, PATHS, withQuery } from './paths.js';

const NAMES_MAX = 8;
const NAME_MAX_CHARACTERS = 40;

interface AuditTableProps {
  readonly found: Pick<FoundEvents, 'rows' | 'oldest'>;
  readonly label: string;
}

export function AuditTable({ found: { rows, oldest }, label }: AuditTableProps) {
  return (
    <Table
      label={label}
      columns={['When', 'Action', 'Record', 'Account', 'Properties']}
      rows={rows.map((row) => {
        const [{ timestamp, action, owner_sub, run }] = row;
        const account = owner_sub !== '' && <a href={accountPath(owner_sub)}>{cut(owner_sub)}</a>;
        const records = counted(row.length, 'record');
        const mayGoOn = oldest !== undefined && row.at(-1)?.id === oldest.id;
        return [
          timeText(timestamp),
          <span class={action}>{action}</span>,
          row.length === 1 ? (
            linkOf(row[0])
          ) : (
            <a href={withQuery(PATHS.audit, { run })}>{records + (mayGoOn ? ' or more' : '')}</a>
          ),
          account || '',
          row.length === 1 ? namesOf(row[0]) : countsOf(row),
        ];
      })}
    />
  );
}

/** A deleted record no longer has a page; the id of a restore is a file name. */
function linkOf({ resource, record_id: id, owner_sub: account, action }: AuditEvent) {
  if (!isCollectionName(resource) || action === 'delete' || account === '') return cut(id);
  return <a href={accountPath(account, resource, id)}>{id}</a>;
}

function namesOf({ changed, changed_omitted = 0 }: AuditEvent): string {
  const names = changed.slice(0, NAMES_MAX).map((name) => cut(name, NAME_MAX_CHARACTERS));
  const more = changed.length - names.length + changed_omitted;
  return names.join(', ') + (more === 0 ? '' : ` and ${more} more`);
}

function countsOf(row: AuditRow): string {
  const counts = new Map<string, number>();
  for (const { resource } of row) counts.set(resource, (counts.get(resource) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${numberText(count)} ${name}`).join(', ');
}
