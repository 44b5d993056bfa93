// A durable object's storage in this process, over SQLite in memory: for tests of
// the parts of an object. How the platform itself stores is tested in the runtime.

import Database from 'libsql';
import type { OutboxStorage } from '../../src/hosts/workers/outbox.js';

/** `alarms`: every alarm that was set, in milliseconds since 1970. */
export type TestedStorage = OutboxStorage & { readonly alarms: number[] };

export function openObjectStorage(): TestedStorage {
  const database = new Database(':memory:');
  const alarms: number[] = [];
  return {
    alarms,
    sql: {
      exec(query, ...bindings) {
        const statement = database.prepare(query);
        if (statement.reader) return statement.all(...bindings) as never[];
        statement.run(...bindings);
        return [];
      },
    },
    transactionSync(run) {
      database.exec('begin');
      try {
        const result = run();
        database.exec('commit');
        return result;
      } catch (error) {
        database.exec('rollback');
        throw error;
      }
    },
    getAlarm: async () => alarms.at(-1) ?? null,
    setAlarm: async (at) => void alarms.push(at),
  };
}
