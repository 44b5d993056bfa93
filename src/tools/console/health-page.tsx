// Health in full: what the service says of itself, its operations port with the
// backups, and the settings that this console runs with.

import type { AdminHealth } from '../../operator-client.js';
import { Facts, Frame, Notice, Scroll, type View } from './layout.js';
import type { BackupFacts, OperationsFacts, StatusFacts } from './operations-facts.js';

export interface HealthProps {
  readonly view: View;
  readonly health: AdminHealth;
  /** A sentence where the operations port gives no answer; undefined where none is set. */
  readonly operations: OperationsFacts | string | undefined;
  /** Names and values; no secret is among them. */
  readonly settings: readonly (readonly [string, string])[];
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
}

export function HealthPage({ view, health, operations, settings, now }: HealthProps) {
  const { words, formats } = view;
  const text = words.health;
  return (
    <Frame view={view} title={text.title} current="health">
      <h1>{text.title}</h1>
      <div class="columns">
        <section>
          <h2>{text.service}</h2>
          <Facts
            rows={[
              [text.status, <State view={view} state={health.status} />],
              [text.database, <State view={view} state={health.database} />],
              [text.uptime, formats.duration(health.uptime_seconds)],
              [
                text.identity,
                health.identity_provider_configured ? text.configured : text.notConfigured,
              ],
              [text.admin, health.admin_configured ? text.adminOn : text.notConfigured],
            ]}
          />
        </section>
        <section>
          <h2>{text.operations}</h2>
          {typeof operations === 'object' ? (
            <StatusList view={view} status={operations.status} />
          ) : (
            <p class="empty">{operations ?? words.overview.noOperations}</p>
          )}
        </section>
      </div>
      {typeof operations === 'object' && (
        <Backups view={view} backups={operations.status.backups} now={now} />
      )}
      <section>
        <h2>{text.settings}</h2>
        <Scroll label={text.settings}>
          <table>
            <thead>
              <tr>
                <th scope="col">{text.setting}</th>
                <th scope="col">{text.value}</th>
              </tr>
            </thead>
            <tbody>
              {settings.map(([name, value]) => (
                <tr>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </section>
    </Frame>
  );
}

function State({ view, state }: { view: View; state: keyof View['words']['health']['states'] }) {
  return (
    <span class={state === 'ok' ? 'state good' : 'state bad'}>
      {view.words.health.states[state]}
    </span>
  );
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
          <span class={status.ready ? 'state good' : 'state bad'}>
            {status.ready ? words.account.yes : words.account.no}
          </span>,
        ],
        ...(status.reasons.length === 0
          ? []
          : [[words.overview.reasons, status.reasons.join(', ')] as const]),
        ...(status.warnings.length === 0
          ? []
          : [[words.overview.warnings, status.warnings.join(', ')] as const]),
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

interface BackupsProps {
  readonly view: View;
  readonly backups: BackupFacts | null;
  readonly now: number;
}

function Backups({ view, backups, now }: BackupsProps) {
  const { words, formats } = view;
  const text = words.health;
  return (
    <section>
      <h2>{text.backups}</h2>
      {backups === null ? (
        <p class="empty">{text.noBackups}</p>
      ) : (
        <>
          {backups.last_failed && <Notice kind="bad">{text.lastFailed}</Notice>}
          <p class="caption">
            {backups.interval_hours === 0
              ? text.backupsOnDemand(formats.number(backups.keep))
              : text.backupsEvery(
                  formats.decimal(backups.interval_hours),
                  formats.number(backups.keep),
                )}
          </p>
          <BackupTable view={view} list={backups.list} now={now} />
        </>
      )}
    </section>
  );
}

function BackupTable({ view, list, now }: { view: View; list: BackupFacts['list']; now: number }) {
  const { words, formats } = view;
  const text = words.health;
  if (list === null) return <p class="empty">{text.unreadable}</p>;
  if (list.length === 0) return <p class="empty">{text.noBackupYet}</p>;
  return (
    <>
      <p class="count">{text.backupCount(formats.number(list.length))}</p>
      <Scroll label={text.backups}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.backup}</th>
              <th scope="col">{text.taken}</th>
              <th scope="col" class="number">
                {text.age}
              </th>
              <th scope="col" class="number">
                {text.size}
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map(({ name, taken_at, bytes }) => (
              <tr>
                <th scope="row">{name}</th>
                <td class="time">{formats.time(taken_at)}</td>
                <td class="number">
                  {Date.parse(taken_at) > now
                    ? text.fromFuture
                    : text.ago(formats.duration((now - Date.parse(taken_at)) / 1000))}
                </td>
                <td class="number">{formats.bytes(bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
