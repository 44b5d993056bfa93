// `node dist/manage.js` as a process, and its commands in this process, where a test can interrupt
// them.

import { fileURLToPath } from 'node:url';
import { manage } from '../../src/tools/manage/manage.js';
import {
  type Environment,
  type Program,
  type ProgramOptions,
  type ProgramRun,
  startProgram,
} from './program.js';

export const MANAGE = fileURLToPath(new URL('../../dist/manage.js', import.meta.url));

export function startManage(
  args: readonly string[],
  environment: Environment,
  options: Pick<ProgramOptions, 'cwd' | 'input'> = {},
): Program {
  return startProgram([process.execPath, MANAGE, ...args], { environment, ...options });
}

/** Runs a command in this process. `interrupted`: Ctrl-C. */
export async function runManage(
  args: readonly string[],
  environment: Environment,
  interrupted = new AbortController().signal,
): Promise<ProgramRun> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await manage(args, {
    environment,
    interrupted,
    version: '0.1.0',
    out: (more) => void out.push(more),
    err: (more) => void err.push(more),
  });
  return { code, stdout: out.join(''), stderr: err.join('') };
}
