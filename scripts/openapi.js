// `npm run openapi`: prints the OpenAPI document.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.js';

process.stdout.write(readFileSync(join(root, 'dist/openapi.json')));
