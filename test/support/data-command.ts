// `node dist/manage.js` as an operator runs it, and its commands in this process, where a test
// presses Ctrl-C.

import { fileURLToPath } from 'node:url';
import { manage } from '../../src/tools/manage/manage.js';
import { ADMIN_KEY } from './contract.js';
import {
  type Environment,
  type Program,
  type ProgramOptions,
  type ProgramRun,
  startProgram,
} from './program.js';

export const MANAGE = fileURLToPath(new URL('../../dist/manage.js', import.meta.url));

export function startDataCommand(
  args: readonly string[],
  environment: Environment,
  options: Pick<ProgramOptions, 'cwd' | 'input'> = {},
): Program {
  return startProgram([process.execPath, MANAGE, ...args], { environment, ...options });
}

export async function dataCommandHere(
  args: readonly string[],
  environment: Environment,
  interrupted = new AbortController().signal,
): Promise<ProgramRun> {
  const text: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const code = await manage(args, {
    environment,
    interrupted,
    version: '0.1.0',
    out: (more) => void text.stdout.push(more),
    err: (more) => void text.stderr.push(more),
  });
  return { code, stdout: text.stdout.join(''), stderr: text.stderr.join('') };
}

/** Runs `dump …` or `load …` with the operator's key. */
export function runHere(args: readonly string[], environment: Environment = {}) {
  return dataCommandHere(args, { ADMIN_API_KEY: ADMIN_KEY, ...environment });
}

/** The same, requiring exit code 0; resolves with what it printed. */
export async function runWell(...how: Parameters<typeof runHere>): Promise<string> {
  const { code, stdout, stderr } = await runHere(...how);
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}
