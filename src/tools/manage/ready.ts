// `manage ready`: asks the operations port whether the service can do its work. For people,
// containers and deploy scripts.

import { TROUBLES } from '../../hosts/operations/troubles.js';
import { valuesIn } from '../../hosts/settings.js';
import { COMMON, type Command } from '../program/command.js';
import { pause } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_FAILED, messageOf, UsageError } from '../program/ending.js';

const ASK_AGAIN_MS = 200;
/** Longer than the service itself waits for its database and disk. */
const ANSWER_MAX_MS = 5_000;

export const READY: Command = {
  help: `manage ready [--wait SECONDS] [--settings FILE]

Asks the operations port whether the service can do its work, and prints one
line, then what each reason and warning means and what to do. Ends with 0 if it
can, else with 1.
Settings: OPS_PORT, OPS_HOST as the service has them.

  --wait SECONDS        asks again for this long, until the service is ready
${COMMON}`,
  async run(given, { environment, out, now, interrupted }) {
    const { OPS_HOST: host, OPS_PORT: port } = valuesIn(environment, ['OPS_HOST', 'OPS_PORT']);
    if (port === undefined) throw new UsageError('OPS_PORT is unset; set it as the service has it');
    const at = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    const wait = given.text('wait') ?? '0';
    if (!/^\d{1,4}$/.test(wait)) {
      throw new UsageError(`--wait is ${JSON.stringify(wait)}; it must be 0 to 9999 seconds`);
    }
    const end = now() + Number(wait) * 1_000;
    for (;;) {
      const { isReady, text } = await ask(`http://${at}:${port}/ready`);
      if (isReady || now() >= end) {
        out(text);
        return isReady ? EXIT_DONE : EXIT_FAILED;
      }
      await pause(ASK_AGAIN_MS, interrupted);
    }
  },
};

async function ask(url: string): Promise<{ isReady: boolean; text: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MAX_MS) });
    const { ready, ...answer } = Object(await response.json()) as Record<string, unknown>;
    const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
    const [reasons, warnings] = [listOf(answer['reasons']), listOf(answer['warnings'])];
    const why = reasons.join(', ') || 'this is not the operations port';
    const also = warnings.length === 0 ? '' : ` (warnings: ${warnings.join(', ')})`;
    const troubles = [...reasons, ...warnings].map((name) => {
      // Undefined for a name that only another release knows.
      const { meaning, action } = TROUBLES.get(name) ?? {};
      return meaning && `  ${name}: ${meaning}\n    What to do: ${action}\n`;
    });
    const state = ready === true ? 'ready' : `not ready: ${why}`;
    return { isReady: ready === true, text: `${state}${also}\n${troubles.join('')}` };
  } catch (error) {
    const { code = messageOf(error) } = Object(Object(error).cause) as { code?: string };
    return { isReady: false, text: `not ready: ${url} doesn't answer (${code})\n` };
  }
}
