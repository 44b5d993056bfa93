// Schemathesis reads the OpenAPI document, makes requests that fit it and requests that do not,
// and compares every answer with the document.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/setup.js';
import { tokenOf } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { answersIn, promisedBy } from './fuzzer/answers.js';
import { CACHE, have, pythonEnvironment } from './program.js';

const exec = promisify(execFile);
const VERSION = '4.32.5';
const PROGRAM = join(CACHE, 'schemathesis/bin/schemathesis');
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
/** The events of the last run, to look into a failure. */
const REPORT = join(CACHE, 'schemathesis-events.ndjson');
const ADMIN_API_KEY = 'k'.repeat(40);
/** Cases of each operation and phase; 130 make 29,496 requests in 15 minutes. */
const EXAMPLES = process.env['FUZZER_EXAMPLES'] ?? '10';
const POSITIVE = ['--mode', 'positive'];

let service: NodeService;
let origin: string;

beforeAll(async () => {
  await have(
    PROGRAM,
    ...pythonEnvironment(join(CACHE, 'schemathesis'), `schemathesis==${VERSION}`),
  );
  service = await openNodeService();
  ({ origin } = await service.start({ ADMIN_API_KEY }));
});
afterAll(() => service?.close());

const documentText = () => readFile(join(root, 'dist/openapi.json'), 'utf8');

it('The service answers requests that fit the document as it says', async () => {
  const document = JSON.parse(await documentText());
  const operations = await fuzzed(document, ['-n', EXAMPLES, ...POSITIVE]);
  // With fewer, the credentials did not arrive, and the run says nothing.
  expect(operations.size).toBeGreaterThan(promisedBy(document) / 2);
});

it('The service refuses requests that do not fit what it enforces', async () => {
  const document = withoutAgreements(JSON.parse(await documentText()));
  const operations = await fuzzed(document, ['-n', EXAMPLES]);
  expect(operations.size).toBeGreaterThan(promisedBy(document) / 2);
});

async function fuzzed(document: unknown, options: readonly string[]) {
  const path = join(service.folder, 'openapi.json');
  writeFileSync(path, JSON.stringify(document));
  const file = fileURLToPath(new URL('fuzzer/schemathesis.toml', import.meta.url));
  const report = ['--report', 'ndjson', '--report-ndjson-path', REPORT];
  const args = ['--config-file', file, 'run', path, '--no-color', ...report, ...options];
  const environment = {
    BASE_URL: `${origin}/api/v1`,
    TOKEN: tokenOf('fuzzed'),
    ADMIN_KEY: ADMIN_API_KEY,
  };
  await exec(PROGRAM, args, {
    // Its caches are written there, too.
    cwd: service.folder,
    env: { ...process.env, ...environment },
    maxBuffer: OUTPUT_MAX_BYTES,
  }).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}\n${stderr}`.slice(-6_000));
  });
  return answersIn(REPORT);
}

/** What the document says by agreement only, the service does not enforce. */
function withoutAgreements(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAgreements);
  if (typeof value !== 'object' || value === null) return value;
  if ('x-unchecked' in value) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutAgreements(inner)]),
  );
}
