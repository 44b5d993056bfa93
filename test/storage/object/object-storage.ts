// A durable object's storage in this process, over SQLite in memory: for tests of
// the parts of an object. How the platform itself stores is tested in the runtime.

import Database from 'libsql';
import type { ObjectStorage } from '../../../src/storage/object/object-storage.js';

export function openObjectStorage(): ObjectStorage {
  const database = new Database(':memory:');
  return {
    sql: {
      exec(query, ...bindings) {
        const statement = database.prepare(query);
        if (statement.reader) return statement.all(...bindings) as never[];
        statement.run(...bindings);
        return [];
      },
    },
    transactionSync(run) {
      database.exec('savepoint one');
      try {
        const result = run();
        database.exec('release one');
        return result;
      } catch (error) {
        database.exec('rollback to one; release one');
        throw error;
      }
    },
  };
}
