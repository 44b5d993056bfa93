// Clients that other projects' generators make from the OpenAPI documents, compiled and used
// against the service as an app's developer would; and the documents by Spectral's rules.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/setup.js';
import { tokenOf } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import type { ServerProcess } from '../support/server-process.js';
import { CLIENTS, type Command } from './generators/clients.js';
import { CACHE } from './program.js';

const exec = promisify(execFile);
const DRIVERS = fileURLToPath(new URL('./generators/', import.meta.url));
const DOCUMENTS = {
  '3.1': join(root, 'dist/openapi.json'),
  '3.0': join(root, 'dist/openapi-3.0.json'),
};
const PROGRAMS = join(CACHE, 'node_modules/.bin');
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const ADMIN_API_KEY = 'k'.repeat(40);
/** What each driver does, with a line for each that holds. */
const STEPS = [
  ...['create', 'list', 'search', 'read', 'change', 'order', 'large amount', 'status alone'],
  ...['payments', 'more properties', 'delete', '404', '422', 'operator'],
];

let service: NodeService;
let server: ServerProcess;

beforeAll(async () => {
  service = await openNodeService();
  server = await service.start({ ADMIN_API_KEY });
});
afterAll(() => service.close());

it.each(Object.entries(CLIENTS))(
  'The client of %s compiles, and does every step',
  async (...of) => {
    const [name, client] = of;
    const folder = join(CACHE, 'clients', name);
    mkdirSync(folder, { recursive: true });
    for (const old of ['generated', 'client'])
      rmSync(join(folder, old), { recursive: true, force: true });
    cpSync(DOCUMENTS[client.document], join(folder, 'openapi.json'));
    mkdirSync(join(folder, 'client'));
    const copyDriver = () => {
      for (const [from, to] of Object.entries(client.driver)) {
        cpSync(join(DRIVERS, from), join(folder, to), { recursive: true });
      }
    };
    const run = async ([program = '', ...args]: Command, more = {}) => {
      const env = { ...process.env, ...client.environment, ...more };
      const options = { cwd: folder, env, maxBuffer: OUTPUT_MAX_BYTES };
      return (await exec(program, args, options)).stdout;
    };
    await client.fetch?.();
    copyDriver();
    await run(client.generate);
    // Again: the generator may have written over it.
    copyDriver();
    for (const command of client.compile) await run(command);
    const output = await run(client.run, await shopOf(name));
    const done = output.split('\n').flatMap((line) => /^ok (.+)/.exec(line)?.[1] ?? []);
    expect(done, output).toEqual(expect.arrayContaining(STEPS));
  },
);

it.each(Object.entries(DOCUMENTS))('OpenAPI %s passes the rules of Spectral', async (_, path) => {
  const ruleset = ['--ruleset', join(root, '.spectral.yaml'), '--fail-severity', 'hint'];
  await exec(join(PROGRAMS, 'spectral'), ['lint', ...ruleset, path]);
});

it("Elm's generator takes the document", async () => {
  const to = ['--output-dir', join(CACHE, 'clients/elm'), '--module-name', 'ServiceApi'];
  await exec(join(PROGRAMS, 'elm-open-api'), [DOCUMENTS['3.1'], ...to]);
});

/** An account for the client, with a record that has more properties than the document, and one with foreign values. */
async function shopOf(name: string): Promise<Record<string, string>> {
  const [account, other] = [`shop-of-${name}`, `neighbour-of-${name}`];
  await create(account, 'team', { name: 'Hamisi', phone: '1', role: 'Tailor' });
  await create(other, 'customers', { name: 'Asha', phone: '1', email: { work: 'a@example.com' } });
  await create(other, 'customers', { name: 'Juma', phone: '1' });
  return {
    BASE_URL: `${server.origin}/api/v1`,
    TOKEN: tokenOf(account),
    ACCOUNT: account,
    FOREIGN_TOKEN: tokenOf(other),
    ADMIN_KEY: ADMIN_API_KEY,
  };
}

async function create(owner: string, collection: string, body: object): Promise<void> {
  const response = await fetch(`${server.origin}/api/v1/${collection}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokenOf(owner)}` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
}
