// What one import or one erasure wrote stands in the audit log as thousands of events, one
// for each record. A list for people shows them as one.

import type { AuditEvent } from '../../operator-client.js';

/** Creates, or deletes, of one account that followed one another. */
export interface AuditGroup {
  readonly newest: AuditEvent;
  readonly oldest: AuditEvent;
  readonly count: number;
  /** Events by collection. */
  readonly resources: ReadonlyMap<string, number>;
}

export type AuditItem = { readonly event: AuditEvent } | { readonly group: AuditGroup };

/** Fewer are shown one by one: somebody may have made them by hand. */
const GROUP_MIN = 5;
/** A longer pause begins another group. */
const PAUSE_MAX_MS = 60_000;

/** Whether the group may go on before that time: where a search ended in it. */
export function mayGoOn({ oldest }: AuditGroup, searchedBackTo: string | undefined): boolean {
  if (searchedBackTo === undefined) return false;
  return Date.parse(oldest.timestamp) - Date.parse(searchedBackTo) <= PAUSE_MAX_MS;
}

/** Groups events, given newest first. Several imports at the same time become several groups. */
export class AuditItems {
  readonly #rows: AuditEvent[][] = [];
  readonly #open = new Map<string, AuditEvent[]>();

  /** What belongs together counts once, also where it is too little for a group. */
  get count(): number {
    return this.#rows.length;
  }

  add(event: AuditEvent): void {
    const row = this.#openRow(event);
    if (row !== undefined) {
      row.push(event);
      return;
    }
    const begun = [event];
    this.#rows.push(begun);
    this.#open.set(keyOf(event), begun);
  }

  /** Whether the event belongs to none of those before. */
  isNew(event: AuditEvent): boolean {
    return this.#openRow(event) === undefined;
  }

  /** Newest first. */
  list(): AuditItem[] {
    const items = this.#rows.flatMap((row): AuditItem[] =>
      row.length < GROUP_MIN ? row.map((event) => ({ event })) : [{ group: groupOf(row) }],
    );
    return items.sort((a, b) => newestOf(b).id - newestOf(a).id);
  }

  /** The row that the event goes on with. */
  #openRow(event: AuditEvent): AuditEvent[] | undefined {
    const row = this.#open.get(keyOf(event));
    const last = row?.at(-1);
    if (last === undefined || !['create', 'delete'].includes(event.action)) return undefined;
    const pauseMs = Date.parse(last.timestamp) - Date.parse(event.timestamp);
    return pauseMs <= PAUSE_MAX_MS ? row : undefined;
  }
}

export function itemsOf(events: readonly AuditEvent[]): AuditItem[] {
  const items = new AuditItems();
  for (const event of events) items.add(event);
  return items.list();
}

export function newestOf(item: AuditItem): AuditEvent {
  return 'event' in item ? item.event : item.group.newest;
}

function groupOf(row: readonly AuditEvent[]): AuditGroup {
  const resources = new Map<string, number>();
  for (const { resource } of row) resources.set(resource, (resources.get(resource) ?? 0) + 1);
  const [newest, oldest] = [row[0], row.at(-1)] as [AuditEvent, AuditEvent];
  return { newest, oldest, count: row.length, resources };
}

function keyOf({ actor, action, owner_sub }: AuditEvent): string {
  return JSON.stringify([actor, action, owner_sub]);
}
