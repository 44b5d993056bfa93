// Which old backups the rotation may remove. A service that lost its records goes on taking
// backups, of nearly nothing: after a week they would be the only ones.

/** One that holds more than this many times the records of every newer one is kept. */
export const MUCH_MORE = 1.5;

export interface Rotation {
  /** Names of those that may go, the oldest first. */
  readonly surplus: readonly string[];
  /** Names of those that stay, the oldest first. */
  readonly kept: readonly string[];
  /** Undefined if the file is no database of this program. */
  readonly countOf: (name: string) => Promise<number | undefined>;
}

/** Those of `surplus` that stay. Counts as few as decide it: most often one old backup and the newest. */
export async function heldBack({ surplus, kept, countOf }: Rotation) {
  const held: { readonly name: string; readonly records: number }[] = [];
  const newer = [...kept];
  let most = 0;
  for (const name of [...surplus].reverse()) {
    const records = (await countOf(name)) ?? 0;
    while (records > MUCH_MORE * most) {
      const next = newer.pop();
      if (next === undefined) break;
      most = Math.max(most, (await countOf(next)) ?? 0);
    }
    if (records <= MUCH_MORE * most) continue;
    held.push({ name, records });
    most = records;
  }
  return held;
}
