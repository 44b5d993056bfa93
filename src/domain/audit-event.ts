// What the administrator's audit log keeps of a change: who, what, when and
// which properties; "record values are never stored".

import type { CollectionName } from './collection-name.js';

/** The one actor that is audited: whoever holds the admin key. */
export type Actor = 'admin';

export interface AuditEvent {
  readonly actor: Actor;
  readonly action: 'create' | 'update' | 'delete';
  readonly resource: CollectionName;
  readonly record_id: string;
  readonly owner_sub: string;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  readonly changed: readonly string[];
}
