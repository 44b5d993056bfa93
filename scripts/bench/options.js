// The command line of the benchmark.

import { parseArgs } from 'node:util';

/** Ends the process, with how to use it, where an argument is not understood. */
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
      },
    });
    const workloads = values.rows?.split(',') ?? known;
    const unknown = workloads.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new Error(
        `--rows has unknown names: ${unknown.join(', ')}; use those of the next line`,
      );
    return { quick: values.quick, workloads, json: values.json };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}
npm run bench -- [--quick] [--rows ${known.join(',')}] [--json FILE]
`);
    process.exit(1);
  }
}
