// `manage ready`: asks the operations port whether the service can do its work, prints one
// line and what each reason and warning means, and exits with 0 or 1. For people, containers
// and deploy scripts.

import { type Trouble, troubleCalled } from '../../hosts/operations/troubles.js';
import { type Environment, type OperationsPort, valuesIn } from '../../hosts/settings.js';
import { text } from '../program/arguments.js';
import { commandOf } from '../program/command.js';
import { type CommandDependencies, pause } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_FAILED, messageOf, UsageError } from '../program/ending.js';

export const READY = commandOf({
  name: 'manage ready',
  usage: '[--wait SECONDS] [--settings FILE]',
  about: `Asks the operations port whether the service can do its work, and prints one
line, then what each reason and warning means and what to do. Ends with 0 where
it can, else with 1.`,
  options: {
    wait: text(
      'SECONDS',
      'asks again until the service is ready, for so long at\nmost: after a start, which returns before the port opens',
    ),
  },
  settings: [['OPS_PORT, OPS_HOST', 'as the service has them']],
  async run({ values: { wait } }, dependencies) {
    const { isReady, line, troubles = '' } = await look(waitMs(wait), dependencies);
    dependencies.out(`${line}\n${troubles}`);
    return isReady ? EXIT_DONE : EXIT_FAILED;
  },
});

const WAIT_MAX_SECONDS = 3_600;
const ASK_AGAIN_MS = 200;
/** Longer than the service itself waits for its database and disk. */
const ANSWER_MAX_MS = 5_000;

interface Finding {
  readonly isReady: boolean;
  readonly line: string;
  /** Lines about each reason and warning. */
  readonly troubles?: string;
}

async function ask({ host, port }: OperationsPort): Promise<Finding> {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const url = `http://${name}:${port}/ready`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MAX_MS) });
    return findingOf(await response.json());
  } catch (error) {
    return { isReady: false, line: `not ready: ${url} gives no answer (${codeOf(error)})` };
  }
}

function findingOf(answer: unknown): Finding {
  const isReady = memberOf(answer, 'ready') === true;
  const reasons = listOf(memberOf(answer, 'reasons'));
  const warnings = listOf(memberOf(answer, 'warnings'));
  const names = reasons.join(', ') || 'this is not the operations port';
  const state = isReady ? 'ready' : `not ready: ${names}`;
  const line = warnings.length === 0 ? state : `${state} (warnings: ${warnings.join(', ')})`;
  const troubles = [
    ...reasons.map((name) => linesOf(name, troubleCalled(name))),
    ...warnings.map((name) => linesOf(name, troubleCalled(name))),
  ];
  return { isReady, line, troubles: troubles.join('') };
}

/** Nothing for a name that only another release knows. */
function linesOf(name: string, trouble: Trouble | undefined): string {
  if (trouble === undefined) return '';
  return `  ${name}: ${trouble.meaning}\n    What to do: ${trouble.action}\n`;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `within ${ANSWER_MAX_MS / 1000} s`;
  const code = memberOf(error.cause, 'code');
  return typeof code === 'string' ? code : error.message;
}

/** Asks once, and again until the service is ready or `patienceMs` have gone. */
async function look(
  patienceMs: number,
  { environment, now, interrupted }: CommandDependencies,
): Promise<Finding> {
  const port = portIn(environment);
  if ('line' in port) return port;
  const begun = now();
  for (;;) {
    const finding = await ask(port);
    if (finding.isReady || now() - begun >= patienceMs) return finding;
    await pause(ASK_AGAIN_MS, interrupted);
  }
}

/** A finding: the settings name no port that could be asked. */
function portIn(environment: Environment): OperationsPort | Finding {
  try {
    const { OPS_HOST: host, OPS_PORT: port } = valuesIn(environment, ['OPS_HOST', 'OPS_PORT']);
    if (port !== undefined) return { host, port };
    return { isReady: false, line: 'not ready: OPS_PORT is unset; set it as the service has it' };
  } catch (error) {
    return { isReady: false, line: messageOf(error) };
  }
}

function waitMs(given: string | undefined): number {
  if (given === undefined) return 0;
  const seconds = /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN;
  if (seconds >= 1 && seconds <= WAIT_MAX_SECONDS) return seconds * 1_000;
  throw new UsageError(
    `--wait is ${JSON.stringify(given)}; it must be a whole number of seconds from 1 to ${WAIT_MAX_SECONDS}`,
  );
}
