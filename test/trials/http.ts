// The trial `http`: clients that break the protocol and clients that are as slow as they
// can be. Checks the answers, the time-outs, and that other clients are not affected.

import { randomInt } from 'node:crypto';
import { malformedRequests, SMUGGLED } from './http/malformed.js';
import { answersIn, flawOf, openRaw, overWithin, requestText } from './http/raw-connection.js';
import { ATTACKS, fill, slowClients, slowFinding, toolFinding } from './http/slow-clients.js';
import { asAccount } from './service/identity-provider.js';
import type { Service } from './service/probed-service.js';
import { startOn } from './service/probed-service.js';
import type { Finding, Trial } from './trial.js';

const CUSTOMERS = '/api/v1/customers';
const HEALTH = '/api/v1/health';
/** How long a client waits for the answer to a broken request. */
const PATIENCE_MS = 400;
const AT_ONCE = 100;

export const http: Trial = async ({ quick, folder, say }) => {
  const service = await startOn(folder);
  const { running } = service;
  try {
    say('malformed requests');
    const findings = [
      await malformedFinding(running),
      await mutatedFinding(running, quick ? 500 : 20_000),
    ];
    await fill(running);
    for (const slow of slowClients(quick)) {
      say(slow.fault);
      findings.push(await slowFinding(running, slow, quick ? 100 : 400));
    }
    if (!quick)
      for (const attack of ATTACKS) {
        say(attack.what);
        findings.push(await toolFinding(running, attack));
      }
    return findings;
  } finally {
    await service.close();
  }
};

export async function malformedFinding(service: Service): Promise<Finding> {
  const requests = malformedRequests(`Authorization: ${asAccount('attacker').Authorization}`);
  const { flaws, answers } = await sendAll(service, requests);
  const served = await smuggledIn(service);
  return {
    fault: 'malformed requests, and requests that smuggle a second one',
    tried: `${requests.length} shapes`,
    found: `${answers} answers, ${flaws.length} of them flawed or a 5xx ${flaws.slice(0, 3).join('; ')}; ${served.length} smuggled ${served.slice(0, 5).map(({ shape }) => shape)}; the process ${service.isRunning ? 'lives' : 'is gone'}`,
    holds:
      flaws.length === 0 && served.length === 0 && service.isRunning && (await isWell(service)),
  };
}

/** Valid requests with a few bytes changed at random. */
export async function mutatedFinding(service: Service, count: number): Promise<Finding> {
  const good = [
    requestText('GET', `${CUSTOMERS}?q=a&page=2`, {
      ...asAccount('mutant'),
      'X-Request-ID': 'abc',
    }),
    requestText(
      'POST',
      CUSTOMERS,
      { ...asAccount('mutant'), 'Content-Length': '25' },
      '{"name":"a","phone":"+1"}',
    ),
    requestText(
      'POST',
      CUSTOMERS,
      { ...asAccount('mutant'), 'Transfer-Encoding': 'chunked' },
      '19\r\n{"name":"a","phone":"+1"}\r\n0\r\n\r\n',
    ),
    requestText(
      'PATCH',
      `${CUSTOMERS}/CUS-0001`,
      { ...asAccount('mutant'), 'Content-Length': '2', Expect: '100-continue' },
      '{}',
    ),
  ];
  const requests = Array.from({ length: count }, (_, i) => {
    const text = mutated(good[i % good.length] ?? '');
    return [JSON.stringify(text), text] as [string, string];
  });
  const { flaws, answers } = await sendAll(service, requests);
  return {
    fault: 'requests with bytes changed, left out or doubled at random',
    tried: `${count} requests`,
    found: `${answers} answers, ${flaws.length} of them flawed or a 5xx ${flaws.slice(0, 2).join('; ')}; the process ${service.isRunning ? 'lives' : 'is gone'}`,
    holds: flaws.length === 0 && service.isRunning && (await isWell(service)),
  };
}

function mutated(text: string) {
  let changed = text;
  for (let changes = randomInt(1, 4); changes > 0; changes--) {
    const at = randomInt(changed.length);
    const other = String.fromCharCode(randomInt(256));
    const end = at + randomInt(3);
    const pieces = [
      other,
      '',
      changed.slice(at, end).repeat(2),
      '\r\n',
      '\0',
      changed.slice(randomInt(changed.length)).slice(0, 10),
    ];
    changed = changed.slice(0, at) + (pieces[randomInt(pieces.length)] ?? '') + changed.slice(end);
  }
  return changed;
}

/** Sends each request over its own connection. */
async function sendAll({ origin }: Service, requests: readonly [string, string][]) {
  const flaws: string[] = [];
  let count = 0;
  const queue = requests.values();
  const client = async () => {
    for (const [what, text] of queue) {
      const connection = openRaw(origin, text);
      await overWithin(connection, PATIENCE_MS);
      for (const answer of answersIn(connection.received())) {
        count++;
        const flaw = flawOf(answer);
        if (flaw !== '') flaws.push(`${what}: ${flaw}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return { flaws, answers: count };
}

async function smuggledIn({ origin }: Service) {
  const response = await fetch(`${origin}/api/v1/businesses?q=${SMUGGLED}`, {
    headers: asAccount('attacker'),
  });
  return JSON.parse(await response.text()).data as { shape: string }[];
}

async function isWell({ origin }: Service) {
  return (await fetch(origin + HEALTH)).status === 200;
}
