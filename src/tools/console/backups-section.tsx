// The backups: when they are taken, each with its records, age and check, and the commands
// that restore one. The console restores nothing itself.

import { BACKUP_COMMAND, restoreCommands } from './commands.js';
import { counted } from './labels.js';
import { Commands, Notice, Scroll, Token, type View } from './layout.js';
import type { BackupFacts, KeptBackup } from './operations-facts.js';
import type { BackupAnswer } from './operations-port.js';
import { PATHS, withQuery } from './paths.js';
import { bare } from './verdict.js';

const ANSWERS: Readonly<Record<BackupAnswer, string>> = {
  begun: 'The backup was asked for, and has ended.',
  refused:
    'No backup was taken: the operations port refuses the admin key of this console. Does CONSOLE_OPS_URL name the port of the same service?',
  off: 'No backup was taken: the service has no folder for them. Set BACKUP_DIR for it.',
  unknown:
    'No backup was taken: the operations port cannot be asked for one. Send the service SIGUSR2.',
  away: 'Nobody knows whether a backup was begun: the operations port gave no usable answer. Look at the list.',
};

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
  const { formats } = view;
  return (
    <section id="backups">
      <h2>Backups</h2>
      <Outcome {...props} />
      {backups === null ? (
        <p class="empty">No backups are set up. Set BACKUP_DIR for the service.</p>
      ) : (
        <>
          <p class="caption">
            {backups.interval_hours === 0
              ? `Only when asked for; ${formats.number(backups.keep)} are kept.`
              : `One every ${formats.decimal(backups.interval_hours)} hours, ${formats.number(backups.keep)} are kept.`}
            {backups.folder !== undefined && ` ${`They are in ${backups.folder}.`}`}
          </p>
          <Asking {...props} />
          <BackupTable {...props} list={backups.list} />
        </>
      )}
    </section>
  );
}

function Outcome({ view, backups, asked }: BackupsProps) {
  const { formats } = view;
  const failure = backups?.last_failure;
  return (
    <>
      {backups?.under_way ? (
        <Notice kind="plain">
          A backup is being taken. <a href={PATHS.health}>Look again</a>
        </Notice>
      ) : (
        asked !== undefined &&
        !(asked === 'begun' && backups?.last_failed) && (
          <Notice kind={asked === 'begun' ? 'good' : 'bad'}>{ANSWERS[asked]}</Notice>
        )
      )}
      {backups?.last_failed && (
        <Notice kind="bad">
          <strong>The last backup failed.</strong>{' '}
          {failure && `At ${formats.time(failure.at)}: ${bare(failure.reason)}.`}
        </Notice>
      )}
    </>
  );
}

function Asking({ view, asking, backups }: BackupsProps) {
  if (asking === undefined || backups?.under_way) return null;
  return asking === 'button' ? (
    <form method="post" action={PATHS.backUp}>
      <Token view={view} />
      <button type="submit">Back up now</button>
    </form>
  ) : (
    <>
      <p>To back up now, on the service’s machine:</p>
      <Commands lines={[BACKUP_COMMAND]} />
    </>
  );
}

function BackupTable(props: BackupsProps & { readonly list: BackupFacts['list'] }) {
  const { view, list } = props;
  const { formats } = view;
  if (list === null) return <p class="empty">The folder of the backups cannot be read.</p>;
  if (list.length === 0) return <p class="empty">The folder holds no backup yet.</p>;
  const columns = ['File', 'Taken', 'Age', 'Size', 'Records', 'Check'];
  return (
    <>
      <p class="count">{counted(formats.number(list.length), 'file')}</p>
      <Scroll label="Backups">
        <table class="stack">
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col">{column}</th>
              ))}
              <th>
                <span class="hidden">Restore it</span>
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
  const { formats } = view;
  const { name, taken_at, bytes, records, opens } = backup;
  const taken = Date.parse(taken_at);
  const age = `${formats.duration((now - taken) / 1000)} ago`;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-label="Taken">{formats.time(taken_at)}</td>
      <td data-label="Age">{taken > now ? 'yet to come: a wrong clock made it' : age}</td>
      <td data-label="Size">{formats.bytes(bytes)}</td>
      <td data-label="Records">{typeof records === 'number' ? formats.number(records) : '–'}</td>
      <td data-label="Check">
        {opens === false ? (
          <span class="bad">cannot be opened</span>
        ) : opens ? (
          'opens, all records counted'
        ) : (
          'not looked at yet'
        )}
      </td>
      <td>
        {opens !== false && (
          <a href={`${withQuery(PATHS.health, { restore: name })}#restore`}>
            Restore it
            <span class="hidden"> {name}</span>
          </a>
        )}
      </td>
    </tr>
  );
}

function Restore({
  backups,
  chosen,
  list,
}: BackupsProps & { readonly list: readonly KeptBackup[] }) {
  const backup =
    chosen === undefined
      ? list.find(({ opens }) => opens !== false)
      : list.find(({ name }) => name === chosen);
  if (backup === undefined)
    return chosen === undefined ? null : (
      <p id="restore">This backup is not in the folder any more.</p>
    );
  const folder = backups?.folder?.replace(/\/+$/, '') ?? '.';
  return (
    <div id="restore">
      <h3>{`To restore ${backup.name}`}</h3>
      <p class="caption">
        This console restores nothing itself. On the service’s machine, as root; leave the .socket
        out where there is no socket unit. The restore checks the file first, and keeps the old
        database under another name.
      </p>
      <Commands lines={restoreCommands(`${folder}/${backup.name}`)} />
    </div>
  );
}
