// A durable object's storage in this process, over SQLite in memory: for tests of
// the parts of an object. How the platform itself stores is tested in the runtime.

import Database from 'libsql';
import type { ObjectStorage } from '../../../src/storage/object/object-storage.js';

export function openObjectStorage(): ObjectStorage {
  const database = new Database(':memory:');
  const [begin, commit] = ['savepoint one', 'release one'];
  const undo = (error: unknown): never => {
    database.exec('rollback to one; release one');
    throw error;
  };
  const finish = <T>(result: T): T => {
    database.exec(commit);
    return result;
  };
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
      database.exec(begin);
      try {
        return finish(run());
      } catch (error) {
        return undo(error);
      }
    },
    transaction(run) {
      database.exec(begin);
      return run().then(finish, undo);
    },
  };
}
