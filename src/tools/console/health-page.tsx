// Health in full: the verdict, what the service says of itself, its operations port with
// backups and refused keys, and the settings that this console runs with.

import type { AdminHealth } from '../../operator-client.js';
import { Backups } from './backups-section.js';
import { Facts, Frame, Head, Scroll, type View } from './layout.js';
import type { KeyFacts, StatusFacts } from './operations-facts.js';
import type { BackupAnswer, FactsOrReason } from './operations-port.js';
import { Settings } from './settings-section.js';
import { NoOperations, VerdictNotice } from './verdict.js';

/** While a backup is being taken. */
const LOOK_AGAIN_MS = 2_000;

const IDENTITY_STATES = {
  configured: 'set up',
  missing: 'not set up: every bearer token is answered 503',
  away: 'gives no usable answer: customers are answered 503',
};

export interface HealthProps {
  readonly view: View;
  readonly health: AdminHealth;
  readonly operations: FactsOrReason;
  readonly settings: readonly (readonly [string, string])[];
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** This console may send the admin key to the operations port. */
  readonly takesKey: boolean;
  readonly asked: BackupAnswer | undefined;
  readonly chosen: string | undefined;
}

export function HealthPage(props: HealthProps) {
  const { view, health, operations, settings, now, takesKey, asked, chosen } = props;
  const status = typeof operations === 'object' ? operations.status : undefined;
  return (
    <Frame
      view={view}
      title="Health"
      current="health"
      {...(status?.backups?.under_way && { refreshMs: LOOK_AGAIN_MS })}
    >
      <h1>Health</h1>
      <VerdictNotice view={view} health={health} operations={operations} />
      <div class="columns">
        <section>
          <h2>The service</h2>
          <ServiceFacts view={view} health={health} status={status} />
        </section>
        <section>
          <h2>The operations port</h2>
          {typeof operations === 'object' ? (
            <StatusList view={view} status={operations.status} />
          ) : (
            <NoOperations reason={operations} />
          )}
        </section>
      </div>
      {status && (
        <Backups
          view={view}
          backups={status.backups}
          now={now}
          asking={takesKey ? 'button' : 'command'}
          asked={asked}
          chosen={chosen}
        />
      )}
      {status?.admin_keys && <RefusedKeys view={view} keys={status.admin_keys} />}
      <Settings settings={settings} />
    </Frame>
  );
}

interface ServiceFactsProps {
  readonly view: View;
  readonly health: AdminHealth;
  readonly status: StatusFacts | undefined;
}

function ServiceFacts({ view, health, status }: ServiceFactsProps) {
  const { formats } = view;
  const isAway = status?.warnings.includes('identity_provider_unavailable');
  const identity = !health.identity_provider_configured
    ? 'missing'
    : isAway
      ? 'away'
      : 'configured';
  return (
    <Facts
      rows={[
        ['Administration API', 'answers'],
        [
          'Database',
          <State isBad={health.database !== 'ok'}>
            {health.database === 'ok' ? 'answers' : 'does not answer'}
          </State>,
        ],
        [
          'Identity provider',
          <State isBad={identity !== 'configured'}>{IDENTITY_STATES[identity]}</State>,
        ],
        ['Running for', formats.duration(health.uptime_seconds)],
      ]}
    />
  );
}

/** Marked where it is bad; what is well is the verdict's to say. */
function State({ isBad, children }: { readonly isBad: boolean; readonly children?: string }) {
  return <span class={isBad ? 'state bad' : undefined}>{children}</span>;
}

function StatusList({ view, status }: { readonly view: View; readonly status: StatusFacts }) {
  const { formats } = view;
  const size = (bytes: number | null) => (bytes === null ? '–' : formats.bytes(bytes));
  const { total, failed } = status.requests;
  return (
    <Facts
      rows={[
        [
          'Ready',
          <State isBad={!status.ready}>
            {status.ready ? 'yes' : `no: ${status.reasons.join(', ')}`}
          </State>,
        ],
        ['Version', `${status.version}, ${status.runtime}`],
        ['Started', status.started_at === null ? '–' : formats.time(status.started_at)],
        ['Requests', `${formats.number(total)}, of which ${formats.number(failed)} failed`],
        ['Writes waiting', formats.number(status.writes.waiting ?? 0)],
        ['Memory', size(status.process.resident_bytes)],
        ['Database file', size(status.database.bytes)],
        ['Write-ahead log', size(status.database.log_bytes)],
        ['Free on the disk', size(status.database.disk_free_bytes)],
      ]}
    />
  );
}

function RefusedKeys({ view, keys }: { readonly view: View; readonly keys: KeyFacts }) {
  const { formats } = view;
  if (keys.refused === 0) {
    return (
      <section>
        <h2>Refused admin keys</h2>
        <p class="empty">None since the service was started.</p>
      </section>
    );
  }
  return (
    <section>
      <h2>Refused admin keys</h2>
      <p class="caption">
        {`${formats.number(keys.refused)} since the service was started.`} admin_key_refused in the
        log names the addresses: a program with an old key, or somebody who guesses.
      </p>
      <Scroll label="Refused admin keys">
        <table>
          <Head names={['When']} numbers={['How many']} />
          <tbody>
            {keys.newest.map(({ from, count }) => (
              <tr>
                <th scope="row">{formats.time(from)}</th>
                <td class="number">{formats.number(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
