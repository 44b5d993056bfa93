// The trial `model`: random histories of several accounts and the operator. Every answer
// and every view is compared with a plain model, also after refused commits and restarts.

import { inProcess, overHttp } from './model/hosts.js';
import type { RunTotals } from './model/run.js';
import { runsOf } from './model/run.js';
import type { Finding, Trial } from './trial.js';

const COMMANDS = { handler: 90_000, server: 15_000 };
const COMMANDS_QUICK = { handler: 6_000, server: 1_500 };

export const model: Trial = async ({ quick, folder, say }) => {
  const commands = quick ? COMMANDS_QUICK : COMMANDS;
  const hosts = [
    ['the handler in process', inProcess, commands.handler],
    ['node dist/server.js', overHttp, commands.server],
  ] as const;
  const findings = [];
  for (const [name, host, count] of hosts) {
    say(`${count} commands to ${name}`);
    findings.push(findingOf(name, await runsOf({ host, folder, commands: count, say })));
  }
  return findings;
};

function findingOf(name: string, totals: RunTotals): Finding {
  const { runs, commands, refused, events, restarts, failure } = totals;
  return {
    fault: `four accounts and the operator at once, compared with a plain model, ${name}`,
    tried: `${commands} commands in ${runs} histories, ${refused} commits refused by the database, ${restarts} restarts, ${events} audited`,
    found: failure ?? '0 answers, views or records differ; 0 canaries of another account',
    holds: failure === undefined,
  };
}
