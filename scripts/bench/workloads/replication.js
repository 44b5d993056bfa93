// Creates without a replica, with one that follows, and with one that every answer waits for:
// the real Litestream, and as replica a folder of the same disk, or a store that answers each
// request after 20 ms. `LITESTREAM` names the program.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataSet } from '../data-set.js';
import { litestreamFile, litestreamProgram } from '../litestream.js';
import { startProcess, startScript } from '../processes.js';
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
const STORE_DELAY_MS = 20;

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
    const withReplica = async (
      /** @type {'async' | 'sync'} */ mode,
      /** @type {string} */ name,
      /** @type {readonly string[] | undefined} */ replica = undefined,
    ) => {
      const { file } = copied(data, name);
      const plan = { folder: join(bench.folder, `replica-${name}`), file, replica };
      const litestream = startLitestream(program, plan);
      await use({ origin: '', process: litestream.process });
      const { socketPath } = litestream;
      return use(listening(startOurs({ file, identityOrigin, replica: { mode, socketPath } })));
    };
    const store = await use(
      listening(startScript('./targets/object-store.js', [String(STORE_DELAY_MS)])),
    );
    const far = storeReplica(store.origin);
    const contenders = [
      { name: 'off', target: off, requests: REQUESTS },
      { name: 'async', target: await withReplica('async', 'async'), requests: REQUESTS },
      { name: 'sync, a folder', target: await withReplica('sync', 'sync'), requests: REQUESTS },
      {
        name: `sync, a store ${STORE_DELAY_MS} ms away`,
        target: await withReplica('sync', 'far', far),
        requests: REQUESTS,
      },
    ];
    return loadLines(WORKLOAD, await inTurn(bench, WORKLOAD, contenders));
  });
}

/** Lines of a replica at the stand-in for an S3-compatible store. */
export function storeReplica(/** @type {string} */ endpoint) {
  return [
    'type: s3',
    'bucket: replicas',
    'path: service',
    `endpoint: ${endpoint}`,
    'region: us-east-1',
    'access-key-id: key',
    'secret-access-key: secret',
    // One request for each file: the stand-in knows no uploads in parts.
    'part-size: 1GB',
  ];
}

function startLitestream(
  /** @type {string} */ program,
  /** @type {{ folder: string, file: string, replica?: readonly string[] | undefined }} */ {
    folder,
    file,
    replica = [`url: file://${join(folder, 'replica')}`],
  },
) {
  mkdirSync(folder);
  const [config, socketPath] = [join(folder, 'litestream.yml'), join(folder, 'socket')];
  writeFileSync(config, litestreamFile({ file, socketPath, replica }));
  return { process: startProcess(program, ['replicate', '-config', config]), socketPath };
}
