// A build of the service whose storage refuses what a test marks. A database
// file with triggers of its own is refused at the start, so these triggers are
// temporary ones: the connection makes them, and the file does not have them.

import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { copyBuild } from '../support/changed-build.js';

/** Where the changed storage thread finds the statements, next to the database file. */
const SUFFIX = '.planted';
const MIGRATION = /if \(isNew\) \{[^}]*\}/;
const PLANT = `
      const planted = \`\${path}${SUFFIX}\`;
      const { existsSync: isThere, readFileSync: textOf } = process.getBuiltinModule('node:fs');
      if (isThere(planted)) {
        for (const line of textOf(planted, 'utf8').trim().split('\\n')) {
          connection.value(JSON.parse(line));
        }
      }`;

let folder: string | undefined;
process.on('exit', () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** From the next start of a planted build on, its connection has these triggers. */
export function plantTriggers(database: string, ...statements: readonly string[]): void {
  for (const statement of statements) {
    const temporary = statement.replace(/^create trigger/, 'create temp trigger');
    appendFileSync(database + SUFFIX, `${JSON.stringify(temporary)}\n`);
  }
}

export function hasTriggers(database: string): boolean {
  return existsSync(database + SUFFIX);
}

/** Path of the planted build's server. */
export function plantedServer(): string {
  return join(build(), 'dist/server.js');
}

/** The planted build's storage. */
export function plantedLibsql(): Promise<typeof import('service-management-api/libsql')> {
  return import(pathToFileURL(join(build(), 'dist/libsql.js')).href);
}

/** Created once per process. */
function build(): string {
  if (folder !== undefined) return folder;
  folder = mkdtempSync(join(tmpdir(), `service-management-${process.pid}-`));
  const path = join(copyBuild(folder), 'storage-thread.js');
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(MIGRATION, (found) => found + PLANT);
  if (changed === text) throw new Error(`${path} has no ${MIGRATION}`);
  writeFileSync(path, changed);
  return folder;
}
