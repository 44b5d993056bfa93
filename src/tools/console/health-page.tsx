// Health in full: the verdict, what the service says of itself, its operations port with
// backups and refused keys, and the settings that this console runs with.

import type { AdminHealth } from '../../operator-client.js';
import { Backups } from './backups-section.js';
import { Facts, Frame, Scroll, type View } from './layout.js';
import type { KeyFacts, StatusFacts } from './operations-facts.js';
import type { BackupAnswer, FactsOrReason } from './operations-port.js';
import { Settings } from './settings-section.js';
import { capital, VerdictNotice } from './verdict.js';

/** While a backup is being taken. */
const LOOK_AGAIN_MS = 2_000;

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
  const { words } = view;
  const text = words.health;
  const status = typeof operations === 'object' ? operations.status : undefined;
  return (
    <Frame
      view={view}
      title={text.title}
      current="health"
      {...(status?.backups?.under_way && { refreshMs: LOOK_AGAIN_MS })}
    >
      <h1>{text.title}</h1>
      <VerdictNotice view={view} health={health} operations={operations} />
      <div class="columns">
        <section>
          <h2>{text.service}</h2>
          <ServiceFacts view={view} health={health} status={status} />
        </section>
        <section>
          <h2>{text.operations}</h2>
          {typeof operations === 'object' ? (
            <StatusList view={view} status={operations.status} />
          ) : (
            <p class="empty">
              {operations === undefined ? words.overview.noOperations : `${capital(operations)}.`}
            </p>
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
      <Settings view={view} settings={settings} />
    </Frame>
  );
}

interface ServiceFactsProps {
  readonly view: View;
  readonly health: AdminHealth;
  readonly status: StatusFacts | undefined;
}

function ServiceFacts({ view, health, status }: ServiceFactsProps) {
  const { words, formats } = view;
  const text = words.health;
  const isAway = status?.warnings.includes('identity_provider_unavailable');
  const identity = !health.identity_provider_configured
    ? 'missing'
    : isAway
      ? 'away'
      : 'configured';
  return (
    <Facts
      rows={[
        [text.api, text.states.ok],
        [
          text.database,
          <State isBad={health.database !== 'ok'}>{text.states[health.database]}</State>,
        ],
        [
          text.identity,
          <State isBad={identity !== 'configured'}>{text.identityStates[identity]}</State>,
        ],
        [text.uptime, formats.duration(health.uptime_seconds)],
      ]}
    />
  );
}

/** Marked where it is bad; what is well is the verdict's to say. */
function State({ isBad, children }: { readonly isBad: boolean; readonly children?: string }) {
  return <span class={isBad ? 'state bad' : undefined}>{children}</span>;
}

function StatusList({ view, status }: { readonly view: View; readonly status: StatusFacts }) {
  const { words, formats } = view;
  const text = words.health;
  const size = (bytes: number | null) => (bytes === null ? '–' : formats.bytes(bytes));
  const { total, failed } = status.requests;
  return (
    <Facts
      rows={[
        [
          text.ready,
          <State isBad={!status.ready}>
            {status.ready ? words.account.yes : text.readyNo(status.reasons.join(', '))}
          </State>,
        ],
        [text.version, `${status.version}, ${status.runtime}`],
        [text.started, status.started_at === null ? '–' : formats.time(status.started_at)],
        [text.requests, text.requestsValue(formats.number(total), formats.number(failed))],
        [text.writesWaiting, formats.number(status.writes.waiting ?? 0)],
        [text.memory, size(status.process.resident_bytes)],
        [text.file, size(status.database.bytes)],
        [text.log, size(status.database.log_bytes)],
        [text.free, size(status.database.disk_free_bytes)],
      ]}
    />
  );
}

function RefusedKeys({ view, keys }: { readonly view: View; readonly keys: KeyFacts }) {
  const { words, formats } = view;
  const text = words.keys;
  if (keys.refused === 0) {
    return (
      <section>
        <h2>{text.title}</h2>
        <p class="empty">{text.none}</p>
      </section>
    );
  }
  return (
    <section>
      <h2>{text.title}</h2>
      <p class="caption">
        {text.count(formats.number(keys.refused))} {text.hint}
      </p>
      <Scroll label={text.title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.when}</th>
              <th scope="col" class="number">
                {text.howMany}
              </th>
            </tr>
          </thead>
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
