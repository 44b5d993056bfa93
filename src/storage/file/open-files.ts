// Which database files this process has open. A second opening would wait for the
// lock of the first one, and the operator would look for another process.

import { realpath } from 'node:fs/promises';

/** One for the whole process: a bundler may load this module more than once. */
const REGISTRY = Symbol.for('service-management-api.open-files');

/** Throws for the names by which SQLite means memory: a file of that name would be a surprise. */
export function expectFileName(path: string): void {
  if (path === '' || /^(file:)?:memory:/.test(path) || /[?&]mode=memory\b/.test(path)) {
    throw new Error(
      'it names no file; the service keeps its records in a file, and tests take openMemoryJournal of service-management-api/memory',
    );
  }
}

/**
 * Notes that this process opens the file; resolves with how to take that back.
 * Rejects where this process has it open already.
 */
export async function openedOnce(path: string): Promise<() => void> {
  const real = await realpath(path).catch(() => path);
  const open = openFiles();
  if (open.has(real)) {
    throw new Error(
      'this process has it open already; open it once and share the journal, also where a module is loaded twice (keep it on globalThis)',
    );
  }
  open.add(real);
  return () => open.delete(real);
}

function openFiles(): Set<string> {
  const holder = globalThis as { [REGISTRY]?: Set<string> };
  holder[REGISTRY] ??= new Set();
  return holder[REGISTRY];
}
