// A model of a disk that loses power. Synced data survives. Any part of the rest may survive, in
// any combination, torn at sector boundaries.

import { dirname } from 'node:path';
import type { Random } from '../load/random.js';
import type { NameChange, Rename, Step, Truncate, Write } from './trace.js';

/**
 * `sync-failed`: a sync of this change failed. The system may have dropped the change and
 * marked its page as clean; no later sync writes it then.
 */
type FileChange = { change: Write | Truncate; state: 'pending' | 'synced' | 'sync-failed' };
/** Gives a name to a file; undefined removes the name. */
type NameUpdate = { path: string; file: File | undefined };
/** How likely each unsynced piece survives, from 0 to 1, and where a write may be torn; Infinity: nowhere. */
type Survival = { kept: number; sectorBytes: number };

class File {
  isFolder;
  /** The bytes that are certainly on the disk. */
  #base: Buffer = Buffer.alloc(0);
  /** The changes since then. */
  #changes: FileChange[] = [];

  constructor(isFolder = false) {
    this.isFolder = isFolder;
  }

  take(change: Write | Truncate) {
    this.#changes.push({ change, state: 'pending' });
  }

  sync(failed: boolean) {
    for (const change of this.#changes) {
      if (change.state === 'pending') change.state = failed ? 'sync-failed' : 'synced';
    }
    if (this.#changes.some(({ state }) => state !== 'synced')) return;
    const changes = this.#changes.map(({ change }) => change);
    this.#base = applied(this.#base, changes);
    this.#changes = [];
  }

  after(random: Random, survival: Survival) {
    const pieces = this.#changes.flatMap(({ change, state }) =>
      state === 'synced' ? [change] : survivors(change, random, survival),
    );
    return applied(this.#base, pieces);
  }
}

export class Disk {
  /** The files as the running system sees them, by path. */
  #names: Map<string, File> = new Map();
  /** The names that are certainly on the disk. */
  #syncedNames: Map<string, File> = new Map();
  /** Changes of names whose folder was not synced since. */
  #unsyncedNames: NameUpdate[] = [];

  /** A disk with one empty folder, which is certainly on it. */
  constructor(folder: string) {
    this.#names.set(folder, new File(true));
    this.#syncedNames.set(folder, new File(true));
  }

  take(step: Step) {
    switch (step.kind) {
      case 'write':
      case 'truncate':
        this.#fileAt(step.path).take(step);
        break;
      case 'sync':
        this.#sync(step.path, step.failed);
        break;
      case 'create':
      case 'make-folder':
      case 'remove':
      case 'rename':
        this.#changeName(step);
        break;
      case 'acknowledge':
        break;
    }
  }

  /** The files found when the power comes back, by path. */
  afterPowerLoss(random: Random) {
    const survival = {
      kept: random.oneOf([0, 1, 0.1, 0.5, 0.9]),
      sectorBytes: random.oneOf([512, 4096, Number.POSITIVE_INFINITY]),
    };
    const names = new Map(this.#syncedNames);
    for (const update of this.#unsyncedNames)
      if (random.chance(survival.kept)) setName(names, update);
    const files: Map<string, Buffer> = new Map();
    for (const [path, file] of names) {
      if (!file.isFolder && isReachable(path, names)) files.set(path, file.after(random, survival));
    }
    return files;
  }

  #changeName(step: NameChange | Rename) {
    const { path } = step;
    if (step.kind === 'rename') {
      this.#name({ path: step.to, file: this.#fileAt(path) });
      this.#name({ path, file: undefined });
    } else if (step.kind === 'remove') {
      this.#name({ path, file: undefined });
    } else if (!this.#names.has(path)) {
      this.#name({ path, file: new File(step.kind === 'make-folder') });
    }
  }

  #name(update: NameUpdate) {
    setName(this.#names, update);
    this.#unsyncedNames.push(update);
  }

  #sync(path: string, failed: boolean) {
    const file = this.#fileAt(path);
    if (!file.isFolder) file.sync(failed);
    if (!file.isFolder || failed) return;
    for (const update of this.#unsyncedNames) {
      if (dirname(update.path) === path) setName(this.#syncedNames, update);
    }
    this.#unsyncedNames = this.#unsyncedNames.filter((update) => dirname(update.path) !== path);
  }

  #fileAt(path: string) {
    const file = this.#names.get(path);
    if (file === undefined) throw new Error(`the trace has no beginning of ${path}`);
    return file;
  }
}

function setName(names: Map<string, File>, { path, file }: NameUpdate) {
  if (file === undefined) names.delete(path);
  else names.set(path, file);
}

/** Whether every folder above the path exists. The top folder always does. */
function isReachable(path: string, names: ReadonlyMap<string, File>) {
  const [top = ''] = names.keys();
  for (let folder = dirname(path); folder !== top; folder = dirname(folder)) {
    if (!names.has(folder)) return false;
  }
  return true;
}

/** The parts of an unsynced change that survive. */
function survivors(change: Write | Truncate, random: Random, { kept, sectorBytes }: Survival) {
  if (change.kind === 'truncate') return random.chance(kept) ? [change] : [];
  return sectorsOf(change, sectorBytes).filter(() => random.chance(kept));
}

/** The write in pieces, cut at sector boundaries. */
function sectorsOf(write: Write, sectorBytes: number) {
  const { path, offset, data } = write;
  if (sectorBytes === Number.POSITIVE_INFINITY) return [write];
  const pieces: Write[] = [];
  for (let from = 0; from < data.length; ) {
    const at = offset + from;
    const to = Math.min(from + sectorBytes - (at % sectorBytes), data.length);
    pieces.push({ kind: 'write', path, offset: at, data: data.subarray(from, to) });
    from = to;
  }
  return pieces;
}

/** A copy of the bytes after the changes. A gap is filled with zeros. */
function applied(base: Buffer, changes: readonly (Write | Truncate)[]) {
  const ends = changes.map((change) =>
    change.kind === 'truncate' ? change.size : change.offset + change.data.length,
  );
  const bytes = Buffer.alloc(ends.reduce((most, end) => Math.max(most, end), base.length));
  let length = base.copy(bytes);
  for (const [index, change] of changes.entries()) {
    const end = ends[index] ?? 0;
    if (change.kind === 'truncate') bytes.fill(0, end);
    else change.data.copy(bytes, change.offset);
    length = change.kind === 'truncate' ? end : Math.max(length, end);
  }
  return bytes.subarray(0, length);
}
