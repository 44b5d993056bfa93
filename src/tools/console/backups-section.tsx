// The backups: when they are taken, each with its records, age and check, and the commands
// that restore one. The console restores nothing itself.

import { BACKUP_COMMAND, restoreCommands } from './commands.js';
import { Commands, Notice, Scroll, Token, type View } from './layout.js';
import type { BackupFacts, KeptBackup } from './operations-facts.js';
import type { BackupAnswer } from './operations-port.js';
import { PATHS, withQuery } from './paths.js';
import { bare } from './verdict.js';

export interface BackupsProps {
  readonly view: View;
  readonly backups: BackupFacts | null;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** How a backup can be asked for; undefined where the service is away. */
  readonly asking?: 'button' | 'command' | undefined;
  /** How the question for a backup ended, just now. */
  readonly asked?: BackupAnswer | undefined;
  /** The backup whose commands are shown; without a name the newest that opens. */
  readonly chosen?: string | undefined;
}

export function Backups(props: BackupsProps) {
  const { view, backups } = props;
  const { words, formats } = view;
  const text = words.backups;
  return (
    <section id="backups">
      <h2>{text.title}</h2>
      <Outcome {...props} />
      {backups === null ? (
        <p class="empty">{text.none}</p>
      ) : (
        <>
          <p class="caption">
            {backups.interval_hours === 0
              ? text.onDemand(formats.number(backups.keep))
              : text.every(formats.decimal(backups.interval_hours), formats.number(backups.keep))}
            {backups.folder !== undefined && ` ${text.folder(backups.folder)}`}
          </p>
          <Asking {...props} />
          <BackupTable {...props} list={backups.list} />
        </>
      )}
    </section>
  );
}

function Outcome({ view, backups, asked }: BackupsProps) {
  const { words, formats } = view;
  const text = words.backups;
  const failure = backups?.last_failure;
  return (
    <>
      {backups?.under_way ? (
        <Notice kind="plain">
          {text.underWay} <a href={PATHS.health}>{text.lookAgain}</a>
        </Notice>
      ) : (
        asked !== undefined &&
        !(asked === 'begun' && backups?.last_failed) && (
          <Notice kind={asked === 'begun' ? 'good' : 'bad'}>{text.answers[asked]}</Notice>
        )
      )}
      {backups?.last_failed && (
        <Notice kind="bad">
          <strong>{text.lastFailed}</strong>{' '}
          {failure && words.verdict.failedAt(formats.time(failure.at), bare(failure.reason))}
        </Notice>
      )}
    </>
  );
}

function Asking({ view, asking, backups }: BackupsProps) {
  const text = view.words.backups;
  if (asking === undefined || backups?.under_way) return null;
  return asking === 'button' ? (
    <form method="post" action={PATHS.backUp}>
      <Token view={view} />
      <button type="submit">{text.now}</button>
    </form>
  ) : (
    <>
      <p>{text.nowBy}</p>
      <Commands lines={[BACKUP_COMMAND]} />
    </>
  );
}

function BackupTable(props: BackupsProps & { readonly list: BackupFacts['list'] }) {
  const { view, list } = props;
  const { words, formats } = view;
  const text = words.backups;
  if (list === null) return <p class="empty">{text.unreadable}</p>;
  if (list.length === 0) return <p class="empty">{text.noneYet}</p>;
  const columns = [text.file, text.taken, text.age, text.size, text.records, text.check];
  return (
    <>
      <p class="count">{text.count(formats.number(list.length))}</p>
      <Scroll label={text.title}>
        <table class="stack">
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col">{column}</th>
              ))}
              <th>
                <span class="hidden">{text.restore}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((backup) => (
              <BackupRow {...props} backup={backup} />
            ))}
          </tbody>
        </table>
      </Scroll>
      <Restore {...props} list={list} />
    </>
  );
}

function BackupRow({ view, backup, now }: BackupsProps & { readonly backup: KeptBackup }) {
  const { words, formats } = view;
  const text = words.backups;
  const { name, taken_at, bytes, records, opens } = backup;
  const taken = Date.parse(taken_at);
  const age = text.ago(formats.duration((now - taken) / 1000));
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-label={text.taken}>{formats.time(taken_at)}</td>
      <td data-label={text.age}>{taken > now ? text.fromFuture : age}</td>
      <td data-label={text.size}>{formats.bytes(bytes)}</td>
      <td data-label={text.records}>
        {typeof records === 'number' ? formats.number(records) : '–'}
      </td>
      <td data-label={text.check}>
        {opens === false ? (
          <span class="bad">{text.broken}</span>
        ) : opens ? (
          text.opens
        ) : (
          text.notLooked
        )}
      </td>
      <td>
        {opens !== false && (
          <a href={`${withQuery(PATHS.health, { restore: name })}#restore`}>
            {text.restore}
            <span class="hidden"> {name}</span>
          </a>
        )}
      </td>
    </tr>
  );
}

function Restore({
  view,
  backups,
  chosen,
  list,
}: BackupsProps & { readonly list: readonly KeptBackup[] }) {
  const text = view.words.backups;
  const backup =
    chosen === undefined
      ? list.find(({ opens }) => opens !== false)
      : list.find(({ name }) => name === chosen);
  if (backup === undefined) return chosen === undefined ? null : <p id="restore">{text.gone}</p>;
  const folder = backups?.folder?.replace(/\/+$/, '') ?? '.';
  return (
    <div id="restore">
      <h3>{text.restoreTitle(backup.name)}</h3>
      <p class="caption">{text.restoreHint}</p>
      <Commands lines={restoreCommands(`${folder}/${backup.name}`)} />
    </div>
  );
}
