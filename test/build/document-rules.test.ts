// The built OpenAPI documents by the rules of another project's linter.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { ROOT } from '../support/pages.js';

it('dist/openapi.json and dist/openapi-3.0.json pass the rules of Redocly', async () => {
  const linter = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
  const documents = ['dist/openapi.json', 'dist/openapi-3.0.json'];
  await promisify(execFile)('node', [linter, 'lint', '--config', '.redocly.yaml', ...documents], {
    cwd: ROOT,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
});
