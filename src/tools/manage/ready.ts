// `manage ready`: asks the operations port whether the service can do its work. For people,
// containers and deploy scripts.

import { TROUBLES } from '../../hosts/operations/troubles.js';
import { type Environment, valuesIn } from '../../hosts/settings.js';
import { commandOf, text } from '../program/command.js';
import { pause } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_FAILED, messageOf, UsageError } from '../program/ending.js';

const WAIT_MAX_SECONDS = 3_600;
const ASK_AGAIN_MS = 200;
/** Longer than the service itself waits for its database and disk. */
const ANSWER_MAX_MS = 5_000;

export const READY = commandOf({
  name: 'manage ready',
  usage: '[--wait SECONDS] [--settings FILE]',
  about: `Asks the operations port whether the service can do its work, and prints one
line, then what each reason and warning means and what to do. Ends with 0 if it
can, else with 1.`,
  options: { wait: text('SECONDS', 'asks again for this long, until the service is ready') },
  settings: 'OPS_PORT, OPS_HOST as the service has them',
  async run({ values: { wait } }, { environment, out, now, interrupted }) {
    const url = readyUrl(environment);
    const end = now() + waitMs(wait);
    for (;;) {
      const { isReady, text } = await ask(url);
      if (isReady || now() >= end) {
        out(text);
        return isReady ? EXIT_DONE : EXIT_FAILED;
      }
      await pause(ASK_AGAIN_MS, interrupted);
    }
  },
});

function readyUrl(environment: Environment): string {
  const { OPS_HOST: host, OPS_PORT: port } = valuesIn(environment, ['OPS_HOST', 'OPS_PORT']);
  if (port === undefined) throw new UsageError('OPS_PORT is unset; set it as the service has it');
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}/ready`;
}

function waitMs(given: string | undefined): number {
  if (given === undefined) return 0;
  const seconds = /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN;
  if (seconds >= 1 && seconds <= WAIT_MAX_SECONDS) return seconds * 1_000;
  throw new UsageError(
    `--wait is ${JSON.stringify(given)}; it must be a whole number of seconds from 1 to ${WAIT_MAX_SECONDS}`,
  );
}

async function ask(url: string): Promise<{ isReady: boolean; text: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MAX_MS) });
    const answer: unknown = await response.json();
    return findingOf(Object(answer) as Record<string, unknown>);
  } catch (error) {
    const { code = messageOf(error) } = Object(Object(error).cause) as { code?: string };
    return { isReady: false, text: `not ready: ${url} doesn't answer (${code})\n` };
  }
}

function findingOf({ ready, ...answer }: Record<string, unknown>) {
  const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  const [reasons, warnings] = [listOf(answer['reasons']), listOf(answer['warnings'])];
  const isReady = ready === true;
  const why = reasons.join(', ') || 'this is not the operations port';
  const also = warnings.length === 0 ? '' : ` (warnings: ${warnings.join(', ')})`;
  const troubles = [...reasons, ...warnings].map(linesOf);
  const state = isReady ? 'ready' : `not ready: ${why}`;
  return { isReady, text: `${state}${also}\n${troubles.join('')}` };
}

/** Empty for a name that only another release knows. */
function linesOf(name: string): string {
  const trouble = TROUBLES.get(name);
  if (trouble === undefined) return '';
  return `  ${name}: ${trouble.meaning}\n    What to do: ${trouble.action}\n`;
}
