// The names of backups: the database's name, then the time in UTC, so that names
// sort by age. Files with other names are left alone.

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/;
const END = '.db';
/** The endings of an unfinished backup, and of the files that SQLite may leave beside it. */
const UNFINISHED = /^(.*)\.part(?:-journal|-wal|-shm)?$/;

export class BackupNames {
  readonly #start: string;

  /** `stem` is the database's name without its ending. */
  constructor(stem: string) {
    this.#start = `${stem}-`;
  }

  /** Milliseconds since 1970, UTC. */
  at(time: number): string {
    return `${this.#start}${new Date(time).toISOString().replaceAll(':', '-')}${END}`;
  }

  /** The time of the newest backup; undefined if there is none. A name later than `now` is ignored: a wrong clock made it. */
  newest(names: readonly string[], now: number): number | undefined {
    return this.byAge(names).find(([time]) => time <= now)?.[0];
  }

  /** Names with a time that is yet to come, newest first: a wrong clock made them. */
  fromFuture(names: readonly string[], now: number): string[] {
    return this.byAge(names).flatMap(([time, name]) => (time > now ? [name] : []));
  }

  /** The finished ones with the times of their names, newest first. */
  byAge(names: readonly string[]): [time: number, name: string][] {
    const ours = names.flatMap((name): [number, string][] => {
      const time = this.#timeOf(name);
      return time === undefined ? [] : [[time, name]];
    });
    return ours.sort(([one], [other]) => other - one);
  }

  /**
   * The backups to remove, so that `keep` are left. `taken` counts as the newest.
   * Names later than `taken` are removed first, because a wrong clock made them.
   */
  surplus(names: readonly string[], taken: string, keep: number): string[] {
    const ours = this.byAge(names).map(([, name]) => name);
    const later = ours.filter((name) => name > taken).reverse();
    const removable = [...later, ...ours.filter((name) => name <= taken).reverse()];
    return removable.slice(0, Math.max(0, removable.length - keep));
  }

  /** Whether the file is the rest of a backup that was broken off. */
  isUnfinished(name: string): boolean {
    const finished = UNFINISHED.exec(name)?.[1];
    return finished !== undefined && this.#timeOf(finished) !== undefined;
  }

  #timeOf(name: string): number | undefined {
    if (!name.startsWith(this.#start) || !name.endsWith(END)) return undefined;
    const found = TIME.exec(name.slice(this.#start.length, -END.length));
    const [, day, hour, minute, second] = found ?? [];
    const time = Date.parse(`${day}T${hour}:${minute}:${second}`);
    return Number.isNaN(time) ? undefined : time;
  }
}
