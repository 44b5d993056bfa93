// The audit events of the exported accounts. The log has no pages by account, so one walk
// over the whole log finds the events of all accounts.

import type { AuditEvent } from '../../../operator-client.js';
import type { Service } from '../service.js';
import { pagesOf, type ReadPage } from '../walk.js';

/** Gives each event to its account's taker, newest first. Events of other accounts are skipped. */
export async function distributeAudit(
  service: Service,
  takers: ReadonlyMap<string, (events: readonly AuditEvent[]) => Promise<void>>,
): Promise<void> {
  const read: ReadPage<AuditEvent> = (query) => service.client.audit.list(query);
  for await (const events of pagesOf(service, read, ({ id }) => String(id))) {
    const byAccount = new Map<string, AuditEvent[]>();
    for (const event of events) {
      if (!takers.has(event.owner_sub)) continue;
      const own = byAccount.get(event.owner_sub);
      if (own === undefined) byAccount.set(event.owner_sub, [event]);
      else own.push(event);
    }
    for (const [account, own] of byAccount) await takers.get(account)?.(own);
  }
}
