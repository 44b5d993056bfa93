// The operator's commands as they work where a remedy is printed: a release has no npm, and a
// clone has no launcher.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `words`: what stands after the program, such as `erase --account SUBJECT`. */
export function operatorCommand(words: string): string {
  // Of the built file, which is in dist/.
  const launcher = fileURLToPath(new URL('../service-management', import.meta.url));
  if (existsSync(launcher)) return `${quoted(launcher)} ${words}`;
  if (process.env['npm_command'] !== undefined) return `npm run manage -- ${words}`;
  const manage = fileURLToPath(new URL('manage.js', import.meta.url));
  return `${quoted(process.execPath)} ${quoted(manage)} ${words}`;
}

/** The command line of this process, for a shell. */
export function thisCommand(): string {
  return [process.execPath, ...process.argv.slice(1)].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
