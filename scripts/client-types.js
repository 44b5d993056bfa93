// `npm run client-types`: writes the types of the records in the clients, from the table
// of collections, and those of the operator's views, from theirs.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTypes } from './build-document.js';
import { BuildFailure } from './build-failure.js';
import { endWithHelp } from './help.js';
import { makeInstalled, root } from './setup.js';

endWithHelp(
  `npm run client-types\n\nWrites the clients' types of records and of the operator's views from their tables.\nTakes no arguments.\n`,
);
await makeInstalled();
try {
  for (const [path, text] of Object.entries(await makeTypes(root))) {
    writeFileSync(join(root, path), text);
  }
} catch (error) {
  if (!(error instanceof BuildFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
