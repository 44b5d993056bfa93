// The trial of sign-in: the service behind real providers, without the gate and
// with it, and behind an edge that misbehaves. Its results are the page's tables.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServerProcess, startServer } from '../../support/server-process.js';
import type { Finding, Trial, TrialOptions } from '../trial.js';
import { openBetterAuth } from './better-auth.js';
import { openDjango } from './django.js';
import { edge } from './edge.js';
import { openKeycloak } from './keycloak.js';
import { openNodeOidcProvider } from './node-oidc-provider.js';
import { openPocketbase } from './pocketbase.js';
import { CACHE } from './program.js';
import { type OpenProvider, type RealProvider, STEPS, type Step } from './real-provider.js';
import { openSpring } from './spring.js';

/** Those that need no large download: the quick version. */
const LIGHT: readonly (readonly [string, OpenProvider])[] = [
  ['oidc-provider', openNodeOidcProvider],
  ['better-auth', openBetterAuth],
  ['pocketbase', openPocketbase],
];
const ALL: typeof LIGHT = [
  ['keycloak', openKeycloak],
  ['spring', openSpring],
  ['django', openDjango],
  ...LIGHT,
];

/** A refused token is remembered for 2 s; its next check must reach the provider. */
const REFUSAL_MS = 2_100;
/** New keys after a restart are looked for at most once in 30 s. */
const BACK_MAX_MS = 40_000;

interface Column {
  readonly name: string;
  readonly open: Map<string, number>;
  readonly gated: Map<string, number>;
}

/** `only`: part of a provider's name, or `edge`. */
export const providers: Trial = async (options) => {
  const findings: Finding[] = [];
  const columns: Column[] = [];
  await mkdir(CACHE, { recursive: true });
  for (const [name, open] of options.quick ? LIGHT : ALL) {
    if (!isWanted(name, options)) continue;
    const folder = join(options.folder, name);
    await mkdir(folder, { recursive: true });
    try {
      const provider = await open(folder);
      options.say(provider.name);
      try {
        columns.push(await taken(provider, folder, findings));
      } finally {
        await provider.down();
      }
    } catch (error) {
      const found = error instanceof Error ? (error.stack ?? error.message) : String(error);
      findings.push({ fault: name, tried: 'once', found, holds: false });
    }
  }
  let table = tableOf(columns);
  if (isWanted('edge', options)) {
    options.say('an edge that misbehaves');
    const cases = await edge(options.folder);
    findings.push(...cases.findings);
    table += `\n${cases.table}`;
  }
  await writeFile(join(CACHE, 'table.md'), table);
  options.say(`the tables are in ${join(CACHE, 'table.md')}`);
  return findings;
};

function isWanted(name: string, { only = '' }: TrialOptions): boolean {
  return name.includes(only);
}

/** Takes a provider through every step, with a server without the gate and one with it. */
async function taken(provider: RealProvider, folder: string, findings: Finding[]): Promise<Column> {
  const column: Column = { name: provider.name, open: new Map(), gated: new Map() };
  const open = await serverOf(folder, 'open', provider.settings);
  const gated =
    provider.gate && (await serverOf(folder, 'gated', { ...provider.settings, ...provider.gate }));
  const servers = gated === undefined ? [open] : [open, gated];
  try {
    await probed(provider, open, findings);
    for (const step of STEPS) {
      const use = async (token: string) => {
        for (const server of servers) await statusOf(server, token);
      };
      const token = step === 'made up' ? 'made-up' : await provider.token(step, use);
      if (token === undefined) continue;
      const found = await statusOf(open, token);
      column.open.set(step, found);
      findings.push(judged(provider, step, found, provider.expected.open[step], ''));
      if (gated === undefined) continue;
      const foundGated = await statusOf(gated, token);
      column.gated.set(step, foundGated);
      const expected = provider.expected.gated?.[step];
      findings.push(judged(provider, step, foundGated, expected, ', with the gate'));
    }
    await downAndBack(provider, servers, column, findings);
    secretsKept(provider, servers, findings);
  } finally {
    for (const server of servers) await server.stop();
  }
  return column;
}

function judged(
  provider: RealProvider,
  step: Step,
  found: number,
  expected: number | undefined,
  how: string,
): Finding {
  return {
    fault: `${provider.name}: ${step}${how}`,
    tried: 'one token',
    found: `${found}, expected ${expected}`,
    holds: found === expected,
  };
}

async function probed(provider: RealProvider, server: ServerProcess, findings: Finding[]) {
  await server.saw('identity_provider_');
  const line = server.log().find(({ event }) => event.startsWith('identity_provider_'));
  findings.push({
    fault: `${provider.name}: asked once at the start`,
    tried: 'one start',
    found: `${line?.event}: ${line?.['found']}`,
    holds: line?.event === 'identity_provider_asked',
  });
}

async function downAndBack(
  provider: RealProvider,
  servers: readonly ServerProcess[],
  column: Column,
  findings: Finding[],
): Promise<void> {
  const use = async () => {};
  const token = await provider.token('good', use);
  await provider.down();
  for (const [index, server] of servers.entries()) {
    const found = await statusOf(server, token ?? '');
    (index === 0 ? column.open : column.gated).set('provider down', found);
    findings.push(verdict(provider, 'provider down', found, 503));
  }
  await provider.up();
  for (const [index, server] of servers.entries()) {
    const deadline = Date.now() + BACK_MAX_MS;
    let found = 0;
    while (found !== 200 && Date.now() < deadline) {
      if (found !== 0) await delay(REFUSAL_MS);
      found = await statusOf(server, (await provider.token('good', use)) ?? '');
    }
    (index === 0 ? column.open : column.gated).set('and back', found);
    findings.push(verdict(provider, 'and back', found, 200));
  }
}

function verdict(provider: RealProvider, fault: string, found: number, expected: number): Finding {
  const name = `${provider.name}: ${fault}`;
  return { fault: name, tried: 'once', found: `${found}`, holds: found === expected };
}

function secretsKept(
  provider: RealProvider,
  servers: readonly ServerProcess[],
  findings: Finding[],
): void {
  const leaks = servers.filter((server) => /eyJ[\w-]{20}/.test(server.output())).length;
  findings.push({
    fault: `${provider.name}: a token in the log`,
    tried: `${servers.length} logs`,
    found: `${leaks} with one`,
    holds: leaks === 0,
  });
}

function serverOf(
  folder: string,
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  return startServer({ DATABASE_URL: `file:${join(folder, name)}.db`, ...settings });
}

export async function statusOf(server: ServerProcess, token: string): Promise<number> {
  const response = await fetch(`${server.origin}/api/v1/customers`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  return response.status;
}

function tableOf(columns: readonly Column[]): string {
  const steps = [...STEPS, 'provider down', 'and back'];
  const cell = (column: Column, step: string) => {
    const open = column.open.get(step) ?? '–';
    return column.gated.size === 0 ? `${open}` : `${open} / ${column.gated.get(step) ?? '–'}`;
  };
  const rows = columns.map(
    (column) => `| ${[column.name, ...steps.map((step) => cell(column, step))].join(' | ')} |`,
  );
  const line = `|${'---|'.repeat(steps.length + 1)}`;
  return `| Provider | ${steps.join(' | ')} |\n${line}\n${rows.join('\n')}\n`;
}
