// `npm start`: makes the clone ready, then runs the preview in this process.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithNpm } from './npm.js';
import { makeReady, root } from './setup.js';

await makeReady();
process.chdir(root);
await import(pathToFileURL(join(root, 'dist/preview.js')).href);
endWithNpm();
