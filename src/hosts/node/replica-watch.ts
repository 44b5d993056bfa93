// Receives the storage thread's reports about the replica: counts them, logs every change, and keeps
// the last one for the status.

import type { Log } from '../../core/log.js';
import type { ServiceEvents } from '../../core/service-events.js';
import type { ReplicaReport } from '../../libsql.js';
import type { ReplicaStatus } from '../operations/status.js';

export function watchReplica(log: Log, events: ServiceEvents | undefined) {
  let last: ReplicaReport | undefined;
  let lastLogged: string | undefined;
  return {
    take(report: ReplicaReport): void {
      last = report;
      if (report.syncMilliseconds !== undefined) events?.replicaSynced(report.syncMilliseconds);
      if (report.hasFailed) events?.replicaFailed();
      const state = report.isReached ? 'reached' : report.reason;
      if (state === undefined || state === lastLogged) return;
      lastLogged = state;
      if (report.isReached) log.info('replica_reached');
      else log.warn('replica_unreachable', { reason: state });
    },
    get status(): ReplicaStatus {
      const { isReached = false, reason = null, behindSince } = last ?? {};
      const behindMs = behindSince === undefined ? 0 : Math.max(Date.now() - behindSince, 0);
      return { reached: isReached, reason, behind_seconds: behindMs / 1_000 };
    },
  };
}
