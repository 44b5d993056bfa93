// Where the tests of a source are.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.js';

/** Folders of tests whose name is another one. @type {Readonly<Record<string, string>>} */
const NAMES = { workers: 'worker', manage: 'program' };

/**
 * The folder of the tests of a file or folder of `src`, such as `test/http/` for
 * `src/core/http/path.ts`. Throws where there is none: `--tests` names it then.
 * @param {string} path
 */
export function testsOf(path) {
  const [, layer = '', room = ''] = path.replace(/:\d.*$/, '').split('/');
  const places = [`${layer}/${room}`, NAMES[room] ?? room, layer];
  const found = places.find((place) => place !== '' && existsSync(join(root, 'test', place)));
  if (found === undefined)
    throw new Error(`no folder of tests belongs to ${path}; name one with --tests`);
  return `test/${found.replace(/\/$/, '')}/`;
}
