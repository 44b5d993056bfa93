// `npm run openapi`: prints the OpenAPI document of the API.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endWithHelp } from './help.js';
import { makeReady, root } from './setup.js';

endWithHelp(`npm run openapi\n\nPrints the OpenAPI document. Takes no arguments.\n`);
await makeReady();
process.stdout.write(readFileSync(join(root, 'dist/openapi.json')));
