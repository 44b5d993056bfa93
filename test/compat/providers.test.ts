// Sign-in with real identity providers: who is let in, who is refused, and what happens while the
// provider is away.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram } from '../support/program.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { CACHE } from './project.js';
import { openKeycloak } from './providers/keycloak.js';
import { openPocketbase } from './providers/pocketbase.js';

const STEPS = [
  ...(['good', 'made up', 'expired', 'revoked', 'other client'] as const),
  ...(['ID token', 'user deleted'] as const),
];
export type Step = (typeof STEPS)[number];
type Statuses = Readonly<Partial<Record<Step, number>>>;

export interface RealProvider {
  readonly command: readonly string[];
  /** Where the command runs. */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers with a status below 500 once the provider is ready. */
  readonly readyUrl: string;
  /** The AUTH_* settings that sign-in works with, and those to add for the gate, if tokens can pass one. */
  readonly settings: Readonly<Record<string, string>>;
  readonly gate?: Readonly<Record<string, string>>;
  /** 200 let in, 401 refused; a step that it has not is missing. `gated`: the same with the gate. */
  readonly expected: Statuses;
  readonly gated?: Statuses;
  /** A token of that kind that is at its end. `use` is called with one that is still good, where it ever was. */
  token(step: Step, use: (token: string) => Promise<unknown>): Promise<string>;
}

/** A refused token is remembered for 2 s; its next check must reach the provider. */
const REFUSAL_MS = 2_100;
/** New keys after a restart are looked for at most once in 30 s. */
const BACK_TRIES = 20;

describe.each([
  ['Keycloak', openKeycloak],
  ['PocketBase', openPocketbase],
])('%s', (_, open) => {
  let folder: TemporaryFolder;
  let provider: RealProvider;
  let program: Program;
  /** The second one has the gate, if the provider's tokens can pass one. */
  const servers: ServerProcess[] = [];

  const up = async () => {
    const { command, home: cwd, environment } = provider;
    const HOME = process.env['HOME'];
    program = startProgram(command, { cwd, environment: { HOME, ...environment } });
    for (;;) {
      const answer = await fetch(provider.readyUrl).catch(() => undefined);
      if (answer !== undefined && answer.status < 500) return;
      if (program.child.exitCode !== null) throw new Error(program.output());
      await delay(250);
    }
  };
  const statuses = (token: string) =>
    Promise.all(
      servers.map(async ({ origin }) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await fetch(`${origin}/api/v1/customers`, { headers })).status;
      }),
    );

  beforeAll(async () => {
    await mkdir(CACHE, { recursive: true });
    folder = await openTemporaryFolder();
    provider = await open(folder.path);
    await up();
    for (const gate of [{}, provider.gate]) {
      if (gate === undefined) continue;
      const DATABASE_URL = `file:${join(folder.path, `${servers.length}.db`)}`;
      servers.push(await startServer({ DATABASE_URL, ...provider.settings, ...gate }));
    }
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await program?.stop();
    await folder.remove();
  });

  it.each(STEPS)('%s', async (step) => {
    if (provider.expected[step] === undefined) return;
    const token = step === 'made up' ? 'made-up' : await provider.token(step, statuses);
    const expected = [provider.expected[step], provider.gated?.[step]];
    expect(await statuses(token)).toEqual(expected.slice(0, servers.length));
  });

  it('gives 503 while it is down, signs in again when it is back, and has no token in the log', async () => {
    const token = await provider.token('good', statuses);
    await program.stop();
    expect(await statuses(token)).toEqual(servers.map(() => 503));
    await up();
    let found: number[] = [];
    for (
      let tries = 0;
      tries < BACK_TRIES && (tries === 0 || found.some((status) => status !== 200));
      tries++
    ) {
      if (tries > 0) await delay(REFUSAL_MS);
      found = await statuses(await provider.token('good', statuses));
    }
    expect(found).toEqual(servers.map(() => 200));
    for (const server of servers) expect(server.output()).not.toMatch(/eyJ[\w-]{20}/);
  });
});
