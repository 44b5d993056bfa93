// The trial `generators`: clients that other projects' generators make from the OpenAPI
// documents, compiled and used against the service as an app's developer would.

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../../../scripts/setup.js';
import { tokenOf } from '../../support/identity-stub.js';
import { asAccount, openIdentityProvider } from '../service/identity-provider.js';
import { ADMIN_KEY, startService } from '../service/service-process.js';
import type { Finding, Trial } from '../trial.js';
import {
  type ClientResult,
  driven,
  type GeneratedClient,
  generated,
  MissingProgram,
  type Place,
  STEPS,
} from './client-run.js';
import { CLIENTS, NPM_CLIENTS } from './clients.js';
import { CACHE, haveNpm, npmProgram } from './programs.js';

const exec = promisify(execFile);

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DOCUMENTS = {
  '3.1': join(root, 'dist/openapi.json'),
  '3.0': join(root, 'dist/openapi-3.0.json'),
};
/** The results of this run; the page's table stands on the copy beside this file. */
const RESULTS = join(CACHE, 'results.json');

/** Quick: the clients that npm alone serves. */
export const generators: Trial = async ({ quick, only = '', folder, say }) => {
  mkdirSync(CACHE, { recursive: true });
  const identity = await openIdentityProvider();
  const identityOrigin = new URL(identity.url).origin;
  const service = await startService({ file: join(folder, 'service.db'), identityOrigin });
  const findings: Finding[] = 'linter'.includes(only) ? await linted() : [];
  try {
    for (const [name, client] of Object.entries(quick ? NPM_CLIENTS : CLIENTS)) {
      if (!name.includes(only)) continue;
      say(name);
      const result = await tried(name, client, service.origin);
      if (!(result instanceof Error)) keep(name, result);
      findings.push(findingOf(name, client, result));
    }
  } finally {
    await service.end('SIGTERM');
    await identity.close();
  }
  return findings;
};

/** Both documents by Spectral's own rules; `npm run check` has Redocly's. */
async function linted(): Promise<Finding[]> {
  await haveNpm();
  const args = ['lint', '--ruleset', join(root, '.spectral.yaml'), '--fail-severity', 'hint'];
  return Promise.all(
    Object.values(DOCUMENTS).map(async (path) => {
      const { stdout, code = 0 } = (await exec(npmProgram('spectral'), [...args, path]).catch(
        (error: { stdout: string; code: number }) => error,
      )) as { stdout: string; code?: number };
      const found = code === 0 ? 'no finding' : stdout.slice(-1_500);
      return { fault: `linter: Spectral on ${path}`, tried: 'once', found, holds: code === 0 };
    }),
  );
}

/** The result, or why there is none. */
async function tried(
  name: string,
  client: GeneratedClient,
  origin: string,
): Promise<ClientResult | Error> {
  const place: Place = {
    folder: join(CACHE, 'clients', name),
    drivers: HERE,
    documents: DOCUMENTS,
  };
  try {
    const made = await generated(client, place);
    return await driven(client, made, place, await shopOf(name, `${origin}/api/v1`));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** An account for the client, with a record whose properties the document does not all know, and one with foreign values. */
async function shopOf(name: string, baseUrl: string): Promise<Record<string, string>> {
  const [account, other] = [`shop-of-${name}`, `neighbour-of-${name}`];
  await create(account, 'team', { name: 'Hamisi', phone: '1', role: 'Tailor' });
  await create(other, 'customers', { name: 'Asha', phone: '1', email: { work: 'a@example.com' } });
  await create(other, 'customers', { name: 'Juma', phone: '1' });
  return {
    BASE_URL: baseUrl,
    TOKEN: tokenOf(account),
    ACCOUNT: account,
    FOREIGN_TOKEN: tokenOf(other),
    ADMIN_KEY,
  };

  async function create(owner: string, collection: string, body: object): Promise<void> {
    const response = await fetch(`${baseUrl}/${collection}`, {
      method: 'POST',
      headers: asAccount(owner),
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${collection}: ${await response.text()}`);
  }
}

function keep(name: string, result: ClientResult): void {
  writeFileSync(RESULTS, `${JSON.stringify({ ...kept(), [name]: result }, null, 2)}\n`);
}

function kept(): Record<string, ClientResult> {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8'));
  } catch {
    return {};
  }
}

function findingOf(name: string, client: GeneratedClient, result: ClientResult | Error): Finding {
  const fault = `${name}: ${client.generator} ${client.version} on OpenAPI ${client.document}`;
  if (result instanceof Error) {
    const holds = result instanceof MissingProgram ? undefined : false;
    return { fault, tried: 'generated', found: result.message.slice(-1_500), holds };
  }
  const { files, lines, compiles, steps, problems } = result;
  const tried = `${files} files, ${lines} lines`;
  if (compiles === undefined) {
    const found = problems.join('; ') || 'reads well; its compiler cannot be had';
    return { fault, tried, found, holds: problems.length === 0 ? undefined : false };
  }
  const found = compiles
    ? `${steps} of ${STEPS.length} steps; more properties ${result.unknown}, a foreign value ${result.foreign}`
    : 'does not compile';
  const words = problems.length === 0 ? '' : `\n${problems.join('\n')}`;
  return { fault, tried, found: `${found}${words}`, holds: steps === STEPS.length };
}
