// `npm run manage` and its short forms: makes the clone ready, then runs the operator's
// command in this process.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeReady, root } from './setup.js';

await makeReady();
await import(pathToFileURL(join(root, 'dist/manage.js')).href);
