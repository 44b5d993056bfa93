// `npm start`: makes the clone ready, then runs the preview in this process.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithHelp } from './help.js';
import { endWithNpm } from './npm.js';
import { makeReady, root } from './setup.js';

endWithHelp(`npm start

Runs the preview at http://127.0.0.1:8080, with data in data/; Ctrl-C stops it. PORT and the
service's other settings are taken from the environment. Takes no arguments.
`);
await makeReady();
process.chdir(root);
await import(pathToFileURL(join(root, 'dist/preview.js')).href);
endWithNpm();
