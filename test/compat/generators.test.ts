// Clients that other projects' generators make from the OpenAPI document, compiled and used
// against the service as an app's developer would.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tokenOf } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { ROOT } from '../support/pages.js';
import { CACHE, have, MODULES, mavenCopy } from './project.js';

const exec = promisify(execFile);
const DRIVERS = fileURLToPath(new URL('./generators/', import.meta.url));
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const OPENAPI_GENERATOR = '7.25.0';
const ADMIN_API_KEY = 'k'.repeat(40);
/** What each driver does at least, with a line for each that holds. */
const STEPS = 'create, list, order, status alone, payments, more properties, 422, operator';

/** How a client is generated from `openapi.json` in its folder, compiled and run: one command a line. */
interface Client {
  /** Files beside this one that the client's folder needs, with their names there. */
  readonly driver: Readonly<Record<string, string>>;
  commands(): Promise<readonly string[]>;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  'openapi-typescript': {
    driver: {
      'typescript/tsconfig.json': 'tsconfig.json',
      'typescript/openapi-fetch.ts': 'main.ts',
    },
    commands: async () => [
      `${MODULES}/.bin/openapi-typescript openapi.json -o generated/api.ts`,
      `${MODULES}/.bin/tsc --project tsconfig.json`,
      `${ROOT}/node_modules/.bin/esbuild main.ts --bundle --platform=node --format=esm --outfile=main.js`,
      'node main.js',
    ],
  },
  kotlin: {
    driver: { 'kotlin/pom.xml': 'pom.xml', 'kotlin/Shop.kt': 'generated/src/main/kotlin/Shop.kt' },
    async commands() {
      const name = `openapi-generator-cli:${OPENAPI_GENERATOR}:jar`;
      const jar = join(CACHE, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
      await have(jar, mavenCopy(`org.openapitools:${name}`, CACHE));
      return [
        `java -jar ${jar} generate -i openapi.json -g kotlin -o generated`,
        'mvn -q -B compile dependency:copy-dependencies',
        'java -cp target/classes:target/dependency/* ShopKt',
      ];
    },
  },
};

let service: NodeService;
let api: string;
beforeAll(async () => {
  service = await openNodeService();
  api = `${(await service.start({ ADMIN_API_KEY })).origin}/api/v1`;
});
afterAll(() => service.close());

it.each(Object.entries(CLIENTS))(
  'The client of %s compiles, and does every step',
  async (...of) => {
    const [name, { driver, commands }] = of;
    const folder = join(CACHE, 'clients', name);
    rmSync(join(folder, 'generated'), { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(join(ROOT, 'dist/openapi.json'), join(folder, 'openapi.json'));
    // A record with more properties than the document names.
    const body = '{"name":"Hamisi","phone":"1","role":"Tailor"}';
    const account = `shop-of-${name}`;
    const headers = { Authorization: `Bearer ${tokenOf(account)}` };
    await fetch(`${api}/team`, { method: 'POST', headers, body });
    const TOKEN = tokenOf(account);
    const own = { BASE_URL: api, TOKEN, ACCOUNT: account, ADMIN_KEY: ADMIN_API_KEY };
    const copyDriver = () => {
      for (const [from, to] of Object.entries(driver))
        cpSync(join(DRIVERS, from), join(folder, to));
    };
    copyDriver();
    let output = '';
    for (const [index, command] of (await commands()).entries()) {
      const [program = '', ...args] = command.split(' ');
      const options = { cwd: folder, env: { ...process.env, ...own }, maxBuffer: OUTPUT_MAX_BYTES };
      output = (await exec(program, args, options)).stdout;
      // The generator, which comes first, may have written over it.
      if (index === 0) copyDriver();
    }
    const done = [...output.matchAll(/^ok (.+)/gm)].map(([, step]) => step);
    expect(done, output).toEqual(expect.arrayContaining(STEPS.split(', ')));
  },
);
