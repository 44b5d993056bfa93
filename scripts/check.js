// `npm run check`: types, the OpenAPI document, lint and formatting. The house rules are tests.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeReady, root } from './setup.js';

await makeReady();
const checks = [
  // With the built declarations, since tests import the package by its name.
  ['typescript/bin/tsc', '--project', 'tsconfig.json'],
  // Without Node's types: the core uses nothing that a browser or a Worker lacks.
  ['typescript/bin/tsc', '--project', 'src/tsconfig.core.json'],
  ['@redocly/cli/bin/cli.js', 'lint', '--config', '.redocly.yaml', 'dist/openapi.json'],
  ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
];
for (const [tool = '', ...args] of checks) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  if (status !== 0) process.exit(status ?? 1);
}
