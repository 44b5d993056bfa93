// The page in place of every other while the service gives no answer: since when, the
// commands to look with, and the last known figures.

import { Backups } from './backups-section.js';
import { LOOK_COMMANDS } from './commands.js';
import type { Failure } from './failure-page.js';
import { LastHourSection } from './hour-section.js';
import { Commands, Facts, Frame, Notice, type View } from './layout.js';
import type { FactsOrReason, OperationsFacts, OperationsPort } from './operations-port.js';
import { PATHS } from './paths.js';
import { Settings } from './settings-section.js';
import { StatusTroubles } from './verdict.js';
import { WATCH_INTERVAL_MS, type Watch } from './watch.js';

interface AwayProps {
  readonly view: View;
  readonly failure: Failure;
  /** Where the page can be loaded again; undefined after a form. */
  readonly again: string | undefined;
  readonly watch: Pick<Watch, 'overview' | 'begunAt'>;
  readonly port: Pick<OperationsPort, 'latest' | 'hour'>;
  /** The backup whose commands are shown. */
  readonly chosen: string | undefined;
  /** As the operations port answers now, if it does. */
  readonly operations: FactsOrReason;
  readonly settings: readonly (readonly [string, string])[];
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
}

export function AwayPage(props: AwayProps) {
  const { view, failure, again, port, operations, settings, now, chosen } = props;
  const known = port.latest;
  return (
    <Frame
      view={view}
      title={failure.sentence}
      {...(again !== undefined && { refreshMs: WATCH_INTERVAL_MS })}
    >
      <h1>{failure.sentence}</h1>
      <Notice kind="bad">
        <strong>{lastAnswer(props)}</strong> {failure.hint}
        {typeof operations === 'object' ? (
          <>
            <p>Its operations port answers, and says:</p>
            <StatusTroubles view={view} operations={operations} />
          </>
        ) : (
          operations !== undefined && <p>{`Its operations port is silent, too: ${operations}.`}</p>
        )}
      </Notice>
      <section>
        <h2>Look with</h2>
        <Commands lines={LOOK_COMMANDS} />
        <p class="caption">
          On the service’s machine, as root, where it was set up as the page of operations says.
          Elsewhere its log is where it was started.
        </p>
      </section>
      <p class="actions">
        <a class="button" href={again ?? PATHS.overview}>
          {again === undefined ? 'To the overview' : 'Load the page again'}
        </a>
      </p>
      <LastFigures {...props} known={known} />
      {known && (
        <>
          <LastHourSection view={view} stretches={port.hour.stretches} until={now} />
          <Backups view={view} backups={known.status.backups} now={now} chosen={chosen} />
        </>
      )}
      <Settings settings={settings} />
    </Frame>
  );
}

function lastAnswer({ view, watch, port, now }: AwayProps): string {
  const { formats } = view;
  const at = Math.max(watch.overview?.at ?? 0, port.latest?.at ?? 0);
  return at === 0
    ? `It has not answered since this console was started at ${formats.time(watch.begunAt)}.`
    : `It answered last at ${formats.time(at)}, ${formats.duration((now - at) / 1000)} ago.`;
}

function LastFigures({
  view,
  watch,
  known,
}: AwayProps & { readonly known: OperationsFacts | undefined }) {
  const { formats } = view;
  const size = (bytes: number | null) => (bytes === null ? '–' : formats.bytes(bytes));
  const { overview } = watch;
  const at = Math.max(overview?.at ?? 0, known?.at ?? 0);
  const status = known?.status;
  const last = status?.backups?.last_success_at;
  return (
    <section>
      <h2>Last known figures</h2>
      {at === 0 ? (
        <p class="empty">This console has seen none since it was started.</p>
      ) : (
        <>
          <p class="caption">{`As of ${formats.time(at)}.`}</p>
          <Facts
            rows={[
              ...(overview
                ? ([
                    ['Accounts', formats.number(overview.view.tenant_count)],
                    ['Records', formats.number(overview.view.record_count)],
                  ] as const)
                : []),
              ...(status
                ? ([
                    ['Ready then', status.ready ? 'yes' : `no: ${status.reasons.join(', ')}`],
                    ['Version', `${status.version}, ${status.runtime}`],
                    ['Started', status.started_at === null ? '–' : formats.time(status.started_at)],
                    ['Memory', size(status.process.resident_bytes)],
                    ['Database file', size(status.database.bytes)],
                    ['Free on the disk', size(status.database.disk_free_bytes)],
                    ['Last backup', last ? formats.time(last) : '–'],
                  ] as const)
                : []),
            ]}
          />
        </>
      )}
    </section>
  );
}
