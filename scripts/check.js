// `npm run check`: the quick checks, then the OpenAPI documents by the rules of
// another project's linter, which is slower and needs the build.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { endWithHelp } from './help.js';
import { quickChecks } from './quick.js';
import { makeReady, root } from './setup.js';

endWithHelp(`npm run check

The quick checks, then both OpenAPI documents by Redocly's rules. Takes no arguments.
`);
if (!(await quickChecks())) process.exit(1);
await makeReady('test/openapi');
const linter = join(root, 'node_modules/@redocly/cli/bin/cli.js');
const { status } = spawnSync(
  process.execPath,
  [linter, 'lint', '--config', '.redocly.yaml', 'dist/openapi.json', 'dist/openapi-3.0.json'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
);
process.exit(status ?? 1);
