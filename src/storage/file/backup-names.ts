// The names of a database's backups.

/** After the database's name: the time in UTC, and the ending of an unfinished backup and SQLite's files beside it. */
const NAME_END =
  /^-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db(\.part(?:-journal|-wal|-shm)?)?$/;

/** `stem`: the database's name without its extension. */
export function backupName(stem: string, takenAt: number): string {
  return `${stem}-${new Date(takenAt).toISOString().replaceAll(':', '-')}.db`;
}

/** The finished backups among the names, newest first, and what is left of unfinished ones. */
export function backupsIn(names: readonly string[], stem: string) {
  const finished: { readonly name: string; readonly takenAt: number }[] = [];
  const unfinished: string[] = [];
  for (const name of names.filter((name) => name.startsWith(stem))) {
    const [, day, hour, minute, second, part] = NAME_END.exec(name.slice(stem.length)) ?? [];
    const takenAt = Date.parse(`${day}T${hour}:${minute}:${second}`);
    if (Number.isNaN(takenAt)) continue;
    if (part === undefined) finished.push({ name, takenAt });
    else unfinished.push(name);
  }
  return { finished: finished.sort((a, b) => b.takenAt - a.takenAt), unfinished };
}
