// The records of the service in a fleet: accounts where they are held, the operator's views by SQL.

import type { OperatorViews, RecordService } from '../../core/records/record-service.js';
import { FleetAccount, type FleetAccountContext } from './fleet-account.js';

export function fleetRecords(context: FleetAccountContext, operator: OperatorViews): RecordService {
  return {
    account: (owner, sender) => new FleetAccount(context, owner, sender),
    operator,
  };
}
