// `npm run openapi`: prints the OpenAPI document of the API.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeReady, root } from './setup.js';

await makeReady();
process.stdout.write(readFileSync(join(root, 'dist/openapi.json')));
