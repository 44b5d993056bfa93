// The checker: Porcupine with the models, built from `checker/` by the Go that
// is installed here.

import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../scripts/root.js';

export type Model = 'record' | 'account' | 'ids';

export interface Verdict {
  readonly model: Model;
  readonly parts: number;
  readonly illegal: number;
  readonly undecided: number;
  /** Set for a violation: the account or record, and the smallest history that shows it. */
  readonly part?: string;
  readonly smallest?: readonly string[];
}

/** Without `shrinks` a violation is found but not minimized. */
export type Checker = (model: Model, history: string, shrinks?: boolean) => Promise<Verdict>;

const PART_MAX_S = 60;
const OUTPUT_MAX_BYTES = 64_000_000;

/** Why nothing can be checked here; undefined if it can. */
export function goIsMissing(): string | undefined {
  return spawnSync('go', ['version']).status === 0 ? undefined : 'Go is not installed here';
}

/** Builds it into a folder. Throws if its module is unavailable. */
export function buildChecker(folder: string): Checker {
  const program = join(folder, 'checker');
  const built = spawnSync('go', ['build', '-mod=readonly', '-o', program, '.'], {
    cwd: join(root, 'test/trials/histories/checker'),
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(`could not build the checker: ${built.stderr}`);
  return async (model, history, shrinks = true) => {
    const limits = ['-seconds', String(PART_MAX_S), `-smallest=${shrinks}`];
    const args = ['-model', model, ...limits, history];
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: OUTPUT_MAX_BYTES });
    return JSON.parse(stdout);
  };
}
