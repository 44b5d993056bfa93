// The command line of the benchmark.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Ends the process, with how to use it, where an argument is not understood. `beside` is
 * the folder of another checkout of the service.
 */
export function optionsOf(
  /** @type {readonly string[]} */ args,
  /** @type {readonly string[]} */ known,
) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        rows: { type: 'string' },
        json: { type: 'string' },
        beside: { type: 'string' },
      },
    });
    const workloads = values.rows?.split(',') ?? known;
    const unknown = workloads.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new Error(
        `--rows has unknown names: ${unknown.join(', ')}; use those of the next line`,
      );
    const beside = values.beside === undefined ? undefined : resolve(values.beside);
    if (beside !== undefined && !existsSync(join(beside, 'dist/server.js'))) {
      throw new Error(
        `--beside ${values.beside} has no dist/server.js; give the folder of a checkout, and run npm run build there`,
      );
    }
    return { quick: values.quick, workloads, json: values.json, beside };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}
npm run bench -- [--quick] [--rows ${known.join(',')}] [--json FILE] [--beside FOLDER]
`);
    process.exit(1);
  }
}
