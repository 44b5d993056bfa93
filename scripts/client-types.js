// `npm run client-types`: writes the types of the records in the clients, from the table
// of collections.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeClientTypes } from './build-document.js';
import { BuildFailure } from './build-failure.js';
import { makeInstalled, root } from './setup.js';

await makeInstalled();
try {
  writeFileSync(join(root, 'src/clients/client/records.ts'), await makeClientTypes(root));
} catch (error) {
  if (!(error instanceof BuildFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
