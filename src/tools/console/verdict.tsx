// Whether the service is healthy: one sentence, then each reason and warning with what it means and
// what to do, in the words of the operations guide. Nothing but this verdict is ever green.

import type { Status } from '../../hosts/operations/status.js';
import { FELT_WARNINGS, REASONS, type Trouble, WARNINGS } from '../../hosts/operations/troubles.js';
import type { AdminHealth } from '../../operator-client.js';
import { bytesText, timeText } from './formats.js';
import { Notice } from './layout.js';
import type { StatusOrReason } from './status.js';

type Found = readonly [name: string, trouble: Trouble];

const NO_PROVIDER = 'identity_provider_not_configured';

interface Verdict {
  readonly kind: 'good' | 'note' | 'bad' | 'plain';
  readonly sentence: string;
  readonly troubles: readonly Found[];
}

/** Without `/status` nothing is called healthy: the disk may be full, or the provider down. */
function verdictOf(health: AdminHealth, status: StatusOrReason): Verdict {
  const troubles = troublesOf(status);
  const isKnown = troubles.some(([name]) => name === NO_PROVIDER);
  if (!health.identity_provider_configured && !isKnown) {
    troubles.push([NO_PROVIDER, WARNINGS[NO_PROVIDER]]);
  }
  const is = (kind: Verdict['kind'], sentence: string) => ({ kind, sentence, troubles });
  if (health.status !== 'ok') return is('bad', 'The API answers, but its database does not');
  if (typeof status === 'object' && !status.ready) return is('bad', 'Not ready');
  if (troubles.some(([name]) => FELT_WARNINGS.includes(name)))
    return is('bad', 'Customers are refused');
  if (status === undefined) {
    return is(
      'plain',
      'The API answers. Set OPS_PORT to see whether disk and provider are healthy',
    );
  }
  if (typeof status === 'string') return is('note', 'The API answers, but its health is unknown');
  return troubles.length > 0 ? is('note', 'Working, but needs attention') : is('good', 'Healthy');
}

export function troublesOf(status: StatusOrReason): Found[] {
  if (typeof status !== 'object') return [];
  const reasons = status.reasons.map((name): Found => [name, REASONS[name]]);
  return [...reasons, ...status.warnings.map((name): Found => [name, WARNINGS[name]])];
}

export function VerdictNotice({ health, status }: { health: AdminHealth; status: StatusOrReason }) {
  const { kind, sentence, troubles } = verdictOf(health, status);
  return (
    <Notice kind={kind}>
      <strong>{`${sentence}.`}</strong> {typeof status === 'string' && `${status}.`}
      <Troubles found={troubles} status={status} />
    </Notice>
  );
}

export function Troubles({ status, found }: { status: StatusOrReason; found: readonly Found[] }) {
  if (found.length === 0) return null;
  return (
    <ul class="troubles">
      {found.map(([name, trouble]) => {
        const detail = typeof status === 'object' ? detailOf(name, status) : '';
        return (
          <li>
            <code>{name}</code>
            <p>
              <Prose text={trouble.meaning} />
              {detail !== '' && <strong> {detail}</strong>}
            </p>
            <p>
              <strong>What to do:</strong> <Prose text={trouble.action} />
            </p>
          </li>
        );
      })}
    </ul>
  );
}

/** Since when and why, where the status says so. */
function detailOf(name: string, status: Status): string {
  const { writes, identity, backups, database, replication } = status;
  const at = (time: string | null | undefined) => (time ? timeText(time) : 'unknown');
  const why = (text: string | null | undefined) => (text ?? 'unknown').replace(/\.\s*$/, '');
  const failure = backups?.last_failure;
  const details: Readonly<Record<string, string>> = {
    writes_failing: `Since ${at(writes.failing_since)}. Last reason: ${why(writes.failing_reason)}.`,
    disk_full: `${bytesText(database.disk_free_bytes)} free.`,
    identity_provider_unavailable: `Since ${at(identity.unavailable_since ?? status.started_at)}.`,
    replica_unreachable: `Last reason: ${why(replication?.reason)}.`,
    // The folder can't be written to, and no backup has failed yet.
    backup_failed: failure ? `${at(failure.at)}: ${why(failure.reason)}.` : '',
    backup_overdue: `Newest: ${at(backups?.last_success_at)}.`,
  };
  return details[name] ?? '';
}

/** Sentences with names in backticks. */
function Prose({ text }: { readonly text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
  );
}
