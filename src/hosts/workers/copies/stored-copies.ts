// The copies in the bucket: lists them, reads from one, and removes old ones.

import type { R2Bucket } from '@cloudflare/workers-types';
import {
  COPIES_PREFIX,
  type CopiedFile,
  INCOMPLETE,
  type IndexedAccount,
  isCopyName,
  keyOf,
  MANIFEST,
  type Manifest,
} from './copy-format.js';
import { linesOf } from './lines.js';

/** The bucket deletes at most this many keys in one call. */
const DELETE_MAX_KEYS = 1_000;

export class StoredCopies {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** Whole copies, newest first. */
  async whole(): Promise<Manifest[]> {
    const manifests = await Promise.all((await this.#names()).map((name) => this.manifest(name)));
    return manifests.filter((manifest) => manifest !== undefined);
  }

  /** Undefined if there is no whole copy of that name. */
  async manifest(copy: string): Promise<Manifest | undefined> {
    if (!isCopyName(copy)) return undefined;
    const stored = await this.#bucket.get(keyOf(copy, MANIFEST));
    return stored === null ? undefined : JSON.parse(await stored.text());
  }

  /** Undefined if the account is not in the copy. */
  async find({ copy, files }: Manifest, account: string): Promise<IndexedAccount | undefined> {
    for (const file of files) {
      if (!mayHold(file, account)) continue;
      for await (const line of linesOf(await this.open(copy, file.name))) {
        const indexed: IndexedAccount = JSON.parse(line);
        if (indexed.account === account) return indexed;
      }
    }
    return undefined;
  }

  /** A file, or a part of it in bytes. Rejects if it is missing. */
  async open(copy: string, file: string, range?: { offset: number; length: number }) {
    const stored = await this.#bucket.get(keyOf(copy, file), range && { range });
    if (stored === null) throw new Error(`the file ${file} of the copy ${copy} is missing`);
    return stored.body;
  }

  /** Keeps the newest whole copies, and everything newer than them. Resolves with the names of the removed copies. */
  async removeOld(keep: number): Promise<string[]> {
    const whole = (await this.whole()).map(({ copy }) => copy);
    const kept = new Set(whole.slice(0, keep));
    const newest = whole[0] ?? '';
    const old = (await this.#names()).filter((name) => !kept.has(name) && name < newest);
    for (const copy of old) await this.#remove(copy);
    return old;
  }

  async #remove(copy: string): Promise<void> {
    // The manifest goes first, so that no half of a copy is ever listed as whole.
    await this.#bucket.delete([MANIFEST, INCOMPLETE].map((name) => keyOf(copy, name)));
    for (;;) {
      const { objects } = await this.#bucket.list({
        prefix: keyOf(copy, ''),
        limit: DELETE_MAX_KEYS,
      });
      if (objects.length === 0) return;
      await this.#bucket.delete(objects.map(({ key }) => key));
    }
  }

  /** Newest first. */
  async #names(): Promise<string[]> {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#bucket.list({
        prefix: COPIES_PREFIX,
        delimiter: '/',
        ...(cursor !== undefined && { cursor }),
      });
      for (const prefix of page.delimitedPrefixes) {
        names.push(prefix.slice(COPIES_PREFIX.length, -1));
      }
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
    return names.filter(isCopyName).sort().reverse();
  }
}

function mayHold({ content, first = '', last = '' }: CopiedFile, account: string): boolean {
  return content === 'index' && first <= account && account <= last;
}
