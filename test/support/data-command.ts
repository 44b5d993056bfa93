// `node dist/manage.js` as an operator runs it, and its commands over a service in this
// process, where a test shortens its waits or presses Ctrl-C.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll } from 'vitest';
import { manage } from '../../src/tools/manage/manage.js';
import type { Waits } from '../../src/tools/program/command.js';
import { ADMIN_KEY } from './contract.js';
import {
  type Environment,
  type Program,
  type ProgramOptions,
  type ProgramRun,
  startProgram,
} from './program.js';
import { openFolder } from './test-folder.js';

export const MANAGE = fileURLToPath(new URL('../../dist/manage.js', import.meta.url));

export function startDataCommand(
  args: readonly string[],
  environment: Environment,
  options: Pick<ProgramOptions, 'cwd' | 'input'> = {},
): Program {
  return startProgram([process.execPath, MANAGE, ...args], { environment, ...options });
}

/** Short waits: the tests check that a command waits, not for how long. */
const SHORT_WAITS: Waits = { firstMs: 5, maxMs: 50, patienceMs: 10_000, timeoutMs: 1_000 };

export async function dataCommandHere(
  args: readonly string[],
  environment: Environment,
  { waits = SHORT_WAITS, interrupted = new AbortController().signal } = {},
): Promise<ProgramRun> {
  const text: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const code = await manage(args, {
    ...{ environment, interrupted, waits, randomBytes, version: '0.1.0' },
    out: (more) => void text.stdout.push(more),
    err: (more) => void text.stderr.push(more),
    isTerminal: false,
    now: Date.now,
  });
  return { code, stdout: text.stdout.join(''), stderr: text.stderr.join('') };
}

/** Runs `dump …` or `load …` with the operator's key. */
export function runHere(args: readonly string[], environment: Environment = {}) {
  const waits = { ...SHORT_WAITS, timeoutMs: 30_000 };
  return dataCommandHere(args, { ADMIN_API_KEY: ADMIN_KEY, ...environment }, { waits });
}

/** The same, requiring exit code 0; resolves with what it printed. */
export async function runWell(...how: Parameters<typeof runHere>): Promise<string> {
  const { code, stdout, stderr } = await runHere(...how);
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** Dry runs of files that the tests of a file write. They need neither a service nor its key. */
export function dryRuns() {
  let folder = '';
  let serial = 0;
  beforeAll(async () => {
    const { path, remove } = await openFolder();
    folder = path;
    return remove;
  });
  const judge = async (
    content: string | Uint8Array,
    into: string,
    args: string[] = [],
    ending = 'csv',
  ) => {
    const path = join(folder, `f${++serial}.${ending}`);
    await writeFile(path, content);
    const words = ['import', path, '--account', 'shop', '--into', into, '--dry-run', ...args];
    const { code, stdout, stderr } = await dataCommandHere(words, {});
    return { code, text: (stdout + stderr).replaceAll(`${folder}/`, '') };
  };
  return { judge, at: (name: string) => join(folder, name) };
}
