// The records of a process over Postgres. It keeps none: any number of processes work side by side.

import { firstOfRuns } from '../../core/domain/audit-event.js';
import type { RecordService } from '../../core/records/record-service.js';
import { PostgresAccount } from './account.js';
import type { AccountContext } from './account-views.js';
import { writesWithin } from './statements.js';
import { Turns } from './turns.js';
import { PostgresViews } from './views.js';

/** An account's creates wait for each other at its totals: they must leave connections to others. */
const ACCOUNT_MAX_QUICK = 6;
const ACCOUNT_MAX_SLOW = 2;

export function postgresRecords(
  options: Omit<AccountContext, 'turns' | 'writes' | 'isLogged'>,
): RecordService {
  const context = {
    ...options,
    turns: {
      quick: new Turns(ACCOUNT_MAX_QUICK),
      slow: new Turns(ACCOUNT_MAX_SLOW),
      changes: new Turns(1),
    },
    writes: writesWithin(options.limits),
    isLogged: firstOfRuns(),
  };
  return {
    account: (owner, sender) => new PostgresAccount(context, owner, sender),
    operator: new PostgresViews(options.database, options.clock),
  };
}
