// Schemathesis reads the OpenAPI document, sends valid and invalid requests, and compares every
// response with the document.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tokenOf } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { ROOT } from '../support/pages.js';
import { CACHE, have, OUTPUT_MAX_BYTES } from './project.js';

const VERSION = '4.32.5';
const PYTHON = join(CACHE, 'schemathesis');
const PROGRAM = join(PYTHON, 'bin/schemathesis');
const ADMIN_API_KEY = 'k'.repeat(40);
/** Cases per operation and phase; 130 make 29,496 requests in 15 minutes. */
const EXAMPLES = process.env['FUZZER_EXAMPLES'] ?? '10';
const FITTING = ['-n', EXAMPLES, '--mode', 'positive'];

const document = JSON.parse(readFileSync(join(ROOT, 'dist/openapi.json'), 'utf8'));
/** The service does not enforce what the document marks as a convention. */
const enforced = JSON.parse(JSON.stringify(document), (_, value) =>
  typeof value === 'object' && value !== null && 'x-unchecked' in value ? {} : value,
);
let service: NodeService;
let origin: string;

beforeAll(async () => {
  service = await openNodeService();
  ({ origin } = await service.start({ ADMIN_API_KEY, OPS_PORT: '0' }));
});
afterAll(() => service?.close());

it.each([
  ['answers requests that fit the document as it says', document, FITTING],
  ['refuses what does not fit', enforced, ['-n', EXAMPLES]],
])('The service %s', async (_, described, options) => {
  const path = join(service.folder, 'openapi.json');
  writeFileSync(path, JSON.stringify(described));
  const file = fileURLToPath(new URL('fuzzer/schemathesis.toml', import.meta.url));
  const install = [join(PYTHON, 'bin/pip'), 'install', '--quiet', `schemathesis==${VERSION}`];
  await have(PROGRAM, ['python3', '-m', 'venv', PYTHON], install);
  const report = join(service.folder, 'events.ndjson');
  const args = ['--config-file', file, 'run', path, '--no-color', '--report', 'ndjson'];
  const BASE_URL = `${origin}/api/v1`;
  const own = { BASE_URL, TOKEN: tokenOf('fuzzed'), ADMIN_KEY: ADMIN_API_KEY };
  await promisify(execFile)(PROGRAM, [...args, '--report-ndjson-path', report, ...options], {
    // It writes its caches there, too.
    cwd: service.folder,
    env: { ...process.env, ...own },
    maxBuffer: OUTPUT_MAX_BYTES,
  }).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}\n${stderr}`.slice(-6_000));
  });
  // With fewer, the credentials did not arrive, and the run proves nothing.
  const good = readFileSync(report, 'utf8').match(/"status_code": ?20\d/g) ?? [];
  expect(good.length).toBeGreaterThan(Object.keys(document.paths).length);
});
