// Reverses rows that are listed newest first, so that an import creates the records in their original
// order.

import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNER_ONLY_FILE } from '../../../storage/file/durable-files.js';

/**
 * Yields the rows of all pages as JSON texts, oldest first, page by page. Buffers them in a temporary
 * file; memory holds only the offset of each page.
 */
export async function* oldestFirst(pages: AsyncIterable<readonly object[]>) {
  const path = join(tmpdir(), `rows-${crypto.randomUUID()}`);
  const file = await open(path, 'wx+', OWNER_ONLY_FILE);
  try {
    const starts = [0];
    for await (const rows of pages) {
      const lines = rows.map((row) => `${JSON.stringify(row)}\n`).reverse();
      const bytes = Buffer.from(lines.join(''));
      // Not `write`, which may write a part, as on a full disk.
      await file.writeFile(bytes);
      starts.push((starts.at(-1) ?? 0) + bytes.length);
    }
    for (let end = starts.pop(); starts.length > 0; end = starts.pop()) {
      const start = starts.at(-1) ?? 0;
      const bytes = Buffer.alloc((end ?? start) - start);
      await file.read(bytes, 0, bytes.length, start);
      if (bytes.length > 0) yield bytes.toString().split('\n').slice(0, -1);
    }
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
