// The backups: how often they're taken, each one's age and size, a button that takes one, and the
// commands that restore one.

import type { Status } from '../../hosts/operations/status.js';
import { BACKUP_COMMAND, restoreCommands } from './commands.js';
import { Commands, Notice, Table, Token, type View } from './layout.js';
import { PATHS } from './paths.js';

type BackupFacts = NonNullable<Status['backups']>;
type Backup = NonNullable<BackupFacts['list']>[number];

/** By the status that the operations port answered. */
const ANSWERS: Readonly<Record<string, string>> = {
  202: 'The backup was taken.',
  401: 'No backup was taken: the operations port refused the admin key of this console.',
};
const UNKNOWN = 'The operations port gave no usable answer. Check the list for a new backup.';

export interface BackupsProps {
  readonly view: View;
  readonly backups: BackupFacts | null;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** How to take one; undefined while the service is down. */
  readonly request?: 'button' | 'command';
  /** The status of the answer to the latest request. */
  readonly asked?: string | undefined;
}

export function Backups(props: BackupsProps) {
  const { view, backups, request, asked } = props;
  const { formats } = view;
  // The verdict says what to do.
  if (backups === null) return null;
  const { interval_hours: hours, keep, folder, under_way, last_failed: isFailed } = backups;
  const often = hours === 0 ? 'Only on request' : `Every ${formats.rounded(hours)} hours`;
  return (
    <section id="backups">
      <h2>Backups</h2>
      {asked !== undefined && !under_way && !isFailed && (
        <Notice kind={asked === '202' ? 'good' : 'bad'}>{ANSWERS[asked] ?? UNKNOWN}</Notice>
      )}
      <p class="caption">{`${often}, into ${folder}; the newest ${keep} are kept.`}</p>
      {under_way && (
        <p>
          A backup is being taken. <a href={PATHS.health}>Refresh</a>
        </p>
      )}
      {!under_way && request === 'button' && (
        <form method="post" action={PATHS.backUp}>
          <Token view={view} />
          <button type="submit">Back up now</button>
        </form>
      )}
      {!under_way && request === 'command' && (
        <>
          <p>To back up now, on the service’s machine:</p>
          <Commands lines={[BACKUP_COMMAND]} />
        </>
      )}
      <List {...props} backups={backups} />
    </section>
  );
}

function List({ view, now, backups }: BackupsProps & { readonly backups: BackupFacts }) {
  const { list, folder } = backups;
  if (list === null) return <p class="empty">The folder can’t be read.</p>;
  const [newest] = list;
  return (
    <>
      <Table
        label="Backups"
        columns={['File', 'Taken', 'Age', 'Size']}
        rows={list.map((backup) => rowOf(view, backup, now))}
      />
      {newest && (
        <>
          <h3>To restore the newest</h3>
          <p class="caption">
            On the service’s machine, as root. For another backup, change the file name. The file is
            checked first, and the old database is kept under another name. Leave out .socket if
            there is no socket unit.
          </p>
          <Commands lines={restoreCommands(`${folder.replace(/\/+$/, '')}/${newest.name}`)} />
        </>
      )}
    </>
  );
}

function rowOf({ formats }: View, backup: Backup, now: number) {
  const { name, taken_at, bytes } = backup;
  const taken = Date.parse(taken_at);
  return [
    name,
    formats.time(taken_at),
    taken > now ? 'in the future: the clock was wrong' : formats.age(taken, now),
    formats.bytes(bytes),
  ];
}
