// The trial `hostile`: clients that are composed at random from behaviours, on a server with a
// heap of 512 MB, while another account reads every 20 ms and writes every 100 ms. Then attacks
// that are always the same.

import { join } from 'node:path';
import { filledDatabase } from './hostile/accounts.js';
import { armed, composed, type HostileClient, inWords } from './hostile/clients.js';
import { holds, type Outcome, type Phase, textOf, underHostileClients } from './hostile/run.js';
import { SCENARIOS } from './hostile/scenarios.js';
import { newSeed, type Random, randomFrom } from './load/random.js';
import type { Finding, Trial } from './trial.js';

const MINUTES = 1;
const QUICK_MINUTES = 0.3;
const ORDERS = 200_000;
const CLIENTS_MAX = 5;
/** The share of clients taken from known attacks: some requests hurt only together. */
const KNOWN_SHARE = 0.3;
const KNOWN = Object.values<readonly HostileClient[]>(SCENARIOS).flat();
const SCENARIO_MS = 10_000;
const PHASE_LEAST_MS = 4_000;
const PHASE_MOST_MS = 10_000;

export const hostile: Trial = async ({ quick, only = '', minutes, seeds, folder, say }) => {
  const chosen = seeds ?? [newSeed()];
  const total = minutes ?? (quick ? QUICK_MINUTES : MINUTES);
  const filled = await filledDatabase(folder, ORDERS);
  const findings: Finding[] = [];
  const file = () => join(folder, `${findings.length}.db`);
  for (const seed of chosen) {
    const fault = `clients composed at random, seed ${seed}`;
    if (!fault.includes(only)) continue;
    const milliseconds = (total * 60_000) / chosen.length;
    const phases = randomPhases(randomFrom(seed), milliseconds, say);
    const outcome = await underHostileClients({ filled, file: file(), phases });
    findings.push(findingOf(fault, outcome));
  }
  for (const [name, clients] of Object.entries<readonly HostileClient[]>(SCENARIOS)) {
    if (!name.includes(only)) continue;
    say(name);
    const phases = [phaseOf(clients, SCENARIO_MS, randomFrom(1))];
    findings.push(findingOf(name, await underHostileClients({ filled, file: file(), phases })));
  }
  return findings;
};

/** Several clients together, again and again until the time is over. */
export function* randomPhases(
  random: Random,
  milliseconds: number,
  say: (text: string) => void,
): Generator<Phase> {
  let number = 0;
  for (let rest = milliseconds; rest > 0; ) {
    const length = Math.min(random.between(PHASE_LEAST_MS, PHASE_MOST_MS), rest);
    const clients = Array.from({ length: random.between(1, CLIENTS_MAX) }, () =>
      random.chance(KNOWN_SHARE) ? random.oneOf(KNOWN) : composed(random),
    );
    say(`${(length / 1_000).toFixed(1)} s: ${clients.map(inWords).join('; ')}`);
    yield phaseOf(clients, length, random, number);
    rest -= length;
    number += clients.length;
  }
}

function phaseOf(
  clients: readonly HostileClient[],
  milliseconds: number,
  random: Random,
  number = 0,
): Phase {
  return { clients: clients.map((client, i) => armed(client, number + i, random)), milliseconds };
}

function findingOf(fault: string, outcome: Outcome): Finding {
  const { readMs, writeMs } = outcome.noted;
  return {
    fault,
    tried: `${outcome.sent} requests of the clients, ${readMs.length} reads and ${writeMs.length} writes of a neighbour`,
    found: textOf(outcome),
    holds: holds(outcome),
  };
}
