// Reads the ids of a database file's records without the service's code. It reads a copy,
// so that the file does not change.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';

/** Resolves with no ids when the file is damaged or missing. The copy goes into `folder`. */
export async function idsIn(file: string, folder: string) {
  if (!existsSync(file)) return new Set() as Set<string>;
  const own = mkdtempSync(join(folder, 'copy-'));
  for (const suffix of ['', '-wal', '-journal']) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, join(own, `copy.db${suffix}`));
  }
  const client = createClient({ url: pathToFileURL(join(own, 'copy.db')).href, concurrency: 1 });
  try {
    const check = await client.execute('pragma integrity_check');
    if (check.rows[0]?.[0] !== 'ok') return new Set() as Set<string>;
    const { rows } = await client.execute('select id from records');
    return new Set(rows.map((row) => String(row['id'])));
  } catch {
    return new Set() as Set<string>;
  } finally {
    client.close();
    rmSync(own, { recursive: true, force: true });
  }
}
