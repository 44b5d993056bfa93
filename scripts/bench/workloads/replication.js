// Creates without a replica and with one: the real Litestream, and as replica a folder of the same
// disk. `LITESTREAM` names the program.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataSet } from '../data-set.js';
import { litestreamFile, litestreamProgram } from '../litestream.js';
import { startProcess } from '../processes.js';
import { inTurn } from '../rounds.js';
import { loadLines } from '../table.js';
import { copied, listening, startOurs } from '../targets.js';
import { withTargets } from './reads.js';
import { createOf } from './writes.js';

/** @import { Bench } from '../bench-context.js' */
/** @import { Line } from '../table.js' */

const WORKLOAD = 'create, with a replica';
const ACCOUNT = { prefix: 'writer', owners: 1, records: 10_000 };
const REQUESTS = [createOf('writer-0')];

export function replication(/** @type {Bench} */ bench) {
  const program = litestreamProgram();
  if (program === undefined) {
    /** @type {Line[]} */
    const missing = [{ workload: WORKLOAD, who: 'not measured', result: 'needs Litestream' }];
    return Promise.resolve(missing);
  }
  return withTargets(async (use) => {
    const { identity } = bench;
    const data = await makeDataSet(bench, 'replication', [ACCOUNT]);
    const identityOrigin = identity.origin;
    const off = await use(listening(startOurs({ file: copied(data, 'off').file, identityOrigin })));
    const { file } = copied(data, 'async');
    const litestream = startLitestream(program, join(bench.folder, 'replica-async'), file);
    await use({ origin: '', process: litestream.process });
    const litestreamSocket = litestream.socketPath;
    const replicated = await use(listening(startOurs({ file, identityOrigin, litestreamSocket })));
    const contenders = [
      { name: 'off', target: off, requests: REQUESTS },
      { name: 'async', target: replicated, requests: REQUESTS },
    ];
    return loadLines(WORKLOAD, await inTurn(bench, WORKLOAD, contenders));
  });
}

function startLitestream(
  /** @type {string} */ program,
  /** @type {string} */ folder,
  /** @type {string} */ file,
) {
  mkdirSync(folder);
  const replica = [`url: file://${join(folder, 'replica')}`];
  const [config, socketPath] = [join(folder, 'litestream.yml'), join(folder, 'socket')];
  writeFileSync(config, litestreamFile({ file, socketPath, replica }));
  return { process: startProcess(program, ['replicate', '-config', config]), socketPath };
}
