// The sums over all accounts that the operator's views show. Each delivery changes
// them by its difference, so that no view adds all accounts up.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import type { RecordCounts } from '../../core/operator-answers.js';
import type { ObjectStorage, SqlRow } from '../../storage/object/object-storage.js';
import type { Holding, Holdings } from './account-call.js';
import * as schema from './directory-schema.js';

const NOTHING: Holding = { records: 0, payloadBytes: 0, updatedAt: 0, created: {} };

export class DirectoryTotals {
  readonly #sql: ObjectStorage['sql'];

  constructor(sql: ObjectStorage['sql']) {
    this.#sql = sql;
  }

  /** Puts what an account holds in the place of what it held. `own`: numbers of the account's own rows. */
  replace(owner: string, own: RecordCounts, holdings: Holdings): void {
    const known = new Map<string, HoldingRow>();
    for (const row of this.#sql.exec<HoldingRow>(schema.FIND_HOLDINGS, owner)) {
      known.set(row.collection, row);
    }
    for (const name of COLLECTION_NAMES) {
      const before = known.get(name);
      const after = holdings[name];
      const created = JSON.stringify(after.created);
      if (isSame(before, own[name], after, created)) continue;
      const { records, payloadBytes, updatedAt } = after;
      if (records === 0) this.#sql.exec(schema.REMOVE_HOLDING, owner, name);
      else {
        const row = [owner, name, own[name], records, payloadBytes, updatedAt, created] as const;
        this.#sql.exec(schema.PUT_HOLDING, ...row);
      }
      this.#add(name, before === undefined ? NOTHING : holdingOf(before), after);
    }
  }

  /** Takes an account out of the sums. */
  remove(owner: string): void {
    const held = [...this.#sql.exec<HoldingRow>(schema.FIND_HOLDINGS, owner)];
    for (const row of held) {
      this.#sql.exec(schema.REMOVE_HOLDING, owner, row.collection);
      this.#add(row.collection, holdingOf(row), NOTHING);
    }
  }

  #add(collection: CollectionName, before: Holding, after: Holding): void {
    this.#sql.exec(
      schema.ADD_TOTALS,
      collection,
      after.records - before.records,
      after.payloadBytes - before.payloadBytes,
      before.updatedAt,
      after.updatedAt,
    );
    for (const hour of Object.keys({ ...before.created, ...after.created })) {
      const more = (after.created[hour] ?? 0) - (before.created[hour] ?? 0);
      if (more !== 0) this.#sql.exec(schema.ADD_HOUR, collection, Number(hour), more);
    }
  }
}

function isSame(
  row: HoldingRow | undefined,
  own: number,
  { records, payloadBytes, updatedAt }: Holding,
  created: string,
): boolean {
  if (row === undefined) return records === 0;
  return (
    row.own === own &&
    row.records === records &&
    row.payload_bytes === payloadBytes &&
    row.updated_at === updatedAt &&
    row.created === created
  );
}

function holdingOf({ records, payload_bytes, updated_at, created }: HoldingRow): Holding {
  return {
    records,
    payloadBytes: payload_bytes,
    updatedAt: updated_at,
    created: JSON.parse(created),
  };
}

interface HoldingRow extends SqlRow {
  readonly collection: CollectionName;
  readonly own: number;
  readonly records: number;
  readonly payload_bytes: number;
  readonly updated_at: number;
  readonly created: string;
}
