// Is the service well? One sentence, and each reason and warning with what it means and what
// to do, in the words of the page of operations. Only this verdict is ever green.

import { reasonCalled, type Trouble, warningCalled } from '../../hosts/operations/troubles.js';
import type { AdminHealth } from '../../operator-client.js';
import { Notice, type View } from './layout.js';
import type { StatusFacts } from './operations-facts.js';
import type { FactsOrReason } from './operations-port.js';

const NO_PROVIDER = 'identity_provider_not_configured';

interface Found {
  readonly name: string;
  readonly trouble: Trouble | undefined;
}

const SENTENCES = {
  good: 'The service is well',
  warned: 'The service works, and something needs you',
  refused: 'Customers are refused',
  notReady: 'The service is not ready',
  degraded: 'The service answers, its database does not',
  blind: 'The service answers. Whether it is well is not known',
  answers:
    'The service answers. Whether its disk and its identity provider are well is shown when CONSOLE_OPS_URL names its operations port',
};

interface Verdict {
  readonly kind: 'good' | 'note' | 'bad' | 'plain';
  readonly sentence: keyof typeof SENTENCES;
  readonly troubles: readonly Found[];
}

/** Without the operations port nobody is told that all is well: the disk may be full and the provider away. */
export function verdictOf(health: AdminHealth, operations: FactsOrReason): Verdict {
  const status = typeof operations === 'object' ? operations.status : undefined;
  const troubles = troublesOf(status);
  const isKnown = troubles.some(({ name }) => name === NO_PROVIDER);
  if (!health.identity_provider_configured && !isKnown) {
    troubles.push({ name: NO_PROVIDER, trouble: warningCalled(NO_PROVIDER) });
  }
  if (health.status !== 'ok') return { kind: 'bad', sentence: 'degraded', troubles };
  if (status?.ready === false) return { kind: 'bad', sentence: 'notReady', troubles };
  if (troubles.some(({ trouble }) => trouble?.isFelt)) {
    return { kind: 'bad', sentence: 'refused', troubles };
  }
  if (operations === undefined) return { kind: 'plain', sentence: 'answers', troubles };
  if (status === undefined) return { kind: 'note', sentence: 'blind', troubles };
  if (troubles.length > 0) return { kind: 'note', sentence: 'warned', troubles };
  return { kind: 'good', sentence: 'good', troubles };
}

function troublesOf(status: StatusFacts | undefined): Found[] {
  const { reasons = [], warnings = [] } = status ?? {};
  return [
    ...reasons.map((name) => ({ name, trouble: reasonCalled(name) })),
    ...warnings.map((name) => ({ name, trouble: warningCalled(name) })),
  ];
}

interface VerdictProps {
  readonly view: View;
  readonly health: AdminHealth;
  readonly operations: FactsOrReason;
}

export function VerdictNotice({ view, health, operations }: VerdictProps) {
  const { formats } = view;
  const { kind, sentence, troubles } = verdictOf(health, operations);
  return (
    <Notice kind={kind}>
      <strong>{SENTENCES[sentence]}.</strong>{' '}
      {sentence === 'blind' && `${capital(String(operations))}. `}
      {`It has run for ${formats.duration(health.uptime_seconds)}.`}
      <TroubleList view={view} troubles={troubles} operations={operations} />
    </Notice>
  );
}

/** What the operations port says is wrong, for a page without a verdict. */
export function StatusTroubles({ view, operations }: Omit<VerdictProps, 'health'>) {
  const status = typeof operations === 'object' ? operations.status : undefined;
  return <TroubleList view={view} troubles={troublesOf(status)} operations={operations} />;
}

interface TroubleListProps {
  readonly view: View;
  readonly troubles: readonly Found[];
  readonly operations: FactsOrReason;
}

function TroubleList({ view, troubles, operations }: TroubleListProps) {
  if (troubles.length === 0) return null;
  const status = typeof operations === 'object' ? operations.status : undefined;
  return (
    <ul class="troubles">
      {troubles.map(({ name, trouble }) => {
        const detail = status === undefined ? '' : detailOf(name, status, view);
        return (
          <li>
            <p>
              <code>{name}</code>{' '}
              <Prose
                text={
                  trouble?.meaning ??
                  'This console does not know this name: look at the page of the service’s release.'
                }
              />
              {detail !== '' && <strong> {detail}</strong>}
            </p>
            {trouble && (
              <p>
                <em>What to do:</em> <Prose text={trouble.action} />
              </p>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** What this service says of a trouble beside its name: since when, why. */
function detailOf(name: string, status: StatusFacts, { formats }: View): string {
  const { writes, identity, backups, database, replication } = status;
  const since = (time: string | null | undefined) => (time ? `Since ${formats.time(time)}.` : '');
  const reason = (of: string | null | undefined) => (of ? `The last reason: ${bare(of)}.` : '');
  switch (name) {
    case 'writes_failing':
      return `${since(writes.failing_since)} ${reason(writes.failing_reason)}`.trim();
    case 'disk_full':
      return database.disk_free_bytes === null
        ? ''
        : `${formats.bytes(database.disk_free_bytes)} are free.`;
    case 'identity_provider_unavailable':
      return since(identity?.unavailable_since);
    case 'identity_provider_unfit':
      return identity?.at_start
        ? `It said: ${bare(identity.at_start.found)}. ${capital(identity.at_start.remedy ?? '')}`
        : '';
    case 'replica_unreachable':
      return reason(replication?.reason);
    case 'backup_failed':
      return backups?.last_failure
        ? `At ${formats.time(backups.last_failure.at)}: ${bare(backups.last_failure.reason)}.`
        : '';
    case 'backup_overdue':
      return backups?.last_success_at
        ? `The newest is of ${formats.time(backups.last_success_at)}.`
        : '';
    default:
      return '';
  }
}

/** Sentences whose names stand in backticks. */
function Prose({ text }: { readonly text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
  );
}

/** Without the full stop at its end, if there is one. */
export function bare(sentence: string): string {
  return sentence.replace(/\.\s*$/, '');
}

/** In place of what the operations port would say. */
export function NoOperations({ reason }: { readonly reason: string | undefined }) {
  return (
    <p class="empty">
      {reason === undefined
        ? 'Requests, memory and backups are shown when CONSOLE_OPS_URL names the service’s operations port.'
        : `${capital(reason)}.`}
    </p>
  );
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
