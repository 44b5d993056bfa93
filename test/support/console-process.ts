// `node dist/manage.js console` as a process of a test.

import { fileURLToPath } from 'node:url';
import { type Environment, type Program, startProgram } from './program.js';

const MANAGE = fileURLToPath(new URL('../../dist/manage.js', import.meta.url));

export interface ConsoleProcess extends Program {
  readonly origin: string;
  /** The newest code for a sign-in. */
  code(): string;
}

/** Starts a console, which may fail to start, or the hash of a password, which `input` holds. */
export function spawnConsole(
  environment: Environment,
  command: 'console' | 'hash' = 'console',
  input = '',
): Program {
  return startProgram([process.execPath, MANAGE, command], {
    environment: { CONSOLE_PORT: '0', ...environment },
    input,
  });
}

/** Starts a console and resolves when it listens. */
export async function startConsoleProcess(environment: Environment): Promise<ConsoleProcess> {
  const program = spawnConsole(environment);
  const origin = await program.saw(/"address":"([^"]+)"/);
  // On another stream than the address.
  await program.saw(/^console: .*\/$/m);
  const code = () => [...program.output().matchAll(/^code: (\S+)$/gm)].at(-1)?.[1] ?? '';
  return { ...program, origin, code };
}
