// The Kotlin client that openapi-generator generates from the OpenAPI document, compiled and used
// against the service as an app's developer would.

import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { tokenOf } from '../support/identity-stub.js';
import { openNodeService } from '../support/node-service.js';
import { ROOT } from '../support/pages.js';
import { CACHE, have, mavenCopy, OUTPUT_MAX_BYTES } from './project.js';

const DRIVER = fileURLToPath(new URL('./generators/', import.meta.url));
const VERSION = '7.25.0';
const JAR = join(CACHE, `openapi-generator-cli-${VERSION}.jar`);
const ADMIN_KEY = 'k'.repeat(40);
const ACCOUNT = 'shop-of-kotlin';
/** The steps that the driver must report, one line each. */
const STEPS = 'create, list, order, status alone, payments, more properties, 422, operator';

it('The Kotlin client compiles, and passes every step', async () => {
  const service = await openNodeService();
  onTestFinished(() => service.close());
  const BASE_URL = `${(await service.start({ ADMIN_API_KEY: ADMIN_KEY })).origin}/api/v1`;
  const TOKEN = tokenOf(ACCOUNT);
  // A record with more properties than the document names.
  const body = '{"name":"Hamisi","phone":"1","role":"Tailor"}';
  const headers = { Authorization: `Bearer ${TOKEN}` };
  await fetch(`${BASE_URL}/team`, { method: 'POST', headers, body });
  const cwd = join(CACHE, 'clients/kotlin');
  rmSync(join(cwd, 'generated'), { recursive: true, force: true });
  cpSync(DRIVER, cwd, { recursive: true });
  const cli = `org.openapitools:openapi-generator-cli:${VERSION}:jar`;
  await have(JAR, mavenCopy(cli, CACHE));
  const env = { ...process.env, BASE_URL, TOKEN, ACCOUNT, ADMIN_KEY };
  const run = async (command: string) => {
    const [program = '', ...args] = command.split(' ');
    const ran = promisify(execFile)(program, args, { cwd, env, maxBuffer: OUTPUT_MAX_BYTES });
    return (await ran).stdout;
  };
  await run(`java -jar ${JAR} generate -i ${ROOT}/dist/openapi.json -g kotlin -o generated`);
  cpSync(join(DRIVER, 'Shop.kt'), join(cwd, 'generated/src/main/kotlin/Shop.kt'));
  await run('mvn -q -B compile dependency:copy-dependencies');
  const output = await run('java -cp target/classes:target/dependency/* ShopKt');
  const done = [...output.matchAll(/^ok (.+)/gm)].map(([, step]) => step);
  expect(done, output).toEqual(expect.arrayContaining(STEPS.split(', ')));
});
