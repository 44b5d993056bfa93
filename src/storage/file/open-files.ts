// The database files that this process has open. A second opening would wait for the
// lock of the first, and its message would send the operator to look for another process.

import { realpath } from 'node:fs/promises';

/** One for the whole process: a bundler may load this module more than once. */
const REGISTRY = Symbol.for('service-management-api.open-files');

/** Throws for names that mean a database in memory to SQLite: nobody expects a file of that name. */
export function expectFileName(path: string): void {
  if (path === '' || /^(file:)?:memory:/.test(path) || /[?&]mode=memory\b/.test(path)) {
    throw new Error(
      'it names no file; the service keeps its records in a file, and tests take openMemoryStorage of service-management-api/memory',
    );
  }
}

/**
 * Notes that this process opens the file; resolves with the function that takes the note back.
 * Rejects if this process has it open already.
 */
export async function openedOnce(path: string): Promise<() => void> {
  const real = await realpath(path).catch(() => path);
  const open = openFiles();
  if (open.has(real)) {
    throw new Error(
      'this process has it open already; open it once and share the storage, also where a module is loaded twice (keep it on globalThis)',
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
