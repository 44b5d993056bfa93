// `manage ready`: asks the operations port whether the service is ready. For people, containers and
// deploy scripts.

import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { HEALTH_ISSUES } from '../../hosts/operations/health-issues.js';
import { operationsUrl, readValues } from '../../hosts/settings.js';
import { messageOf } from '../../storage/file/connection-errors.js';
import { type DefineCommand, EXIT, UsageError } from '../program/command.js';

const NOT_OURS = 'this is not the operations port';
const POLL_INTERVAL_MS = 200;
/** Longer than the service's own time-outs for its database and disk. */
const TIMEOUT_MS = 5_000;

export const ready: DefineCommand = (command, call) =>
  command
    .description(`Ask the operations port whether the service is ready. Prints one line, then what
each reason and warning means, and what to do. The exit code is 0 if it is ready.
Settings: OPS_PORT, OPS_HOST as the service has them`)
    .option('--wait <seconds>', 'keep asking for this long until it is ready', secondsIn)
    .action(async ({ wait = 0 }) => {
      const origin = operationsUrl(readValues(call.environment, ['OPS_HOST', 'OPS_PORT']));
      if (origin === undefined) throw new UsageError("OPS_PORT is unset; set the service's");
      const end = Date.now() + wait * 1_000;
      let result = await requestReady(origin);
      for (; !result.isReady && Date.now() < end; result = await requestReady(origin)) {
        await delay(POLL_INTERVAL_MS);
      }
      call.out(result.text);
      if (!result.isReady) call.exitCode = EXIT.failed;
    });

function secondsIn(given: string): number {
  if (/^\d{1,4}$/.test(given)) return Number(given);
  throw new InvalidArgumentError('It must be 0 to 9999 seconds.');
}

async function requestReady(origin: string): Promise<{ isReady: boolean; text: string }> {
  const url = `${origin}/ready`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { ready, reasons = [NOT_OURS], warnings = [] } = Object(await response.json());
    const state = ready === true ? 'ready' : `not ready: ${reasons.join(', ')}`;
    const also = warnings.length === 0 ? '' : ` (warnings: ${warnings.join(', ')})`;
    const issues = [...reasons, ...warnings].map((name) => {
      // Undefined for a name that this release doesn't know.
      const { meaning, action } = HEALTH_ISSUES.get(name) ?? {};
      return meaning && `  ${name}: ${meaning}\n    What to do: ${action}\n`;
    });
    return { isReady: ready === true, text: `${state}${also}\n${issues.join('')}` };
  } catch (error) {
    const { code = messageOf(error) } = Object(Object(error).cause) as { code?: string };
    return { isReady: false, text: `not ready: ${url} does not respond (${code})\n` };
  }
}
