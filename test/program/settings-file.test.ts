// A file of settings as systemd reads it, for the commands of an operator.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsIn, withSettingsFiles } from '../../src/tools/program/command.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await openTemporaryFolder();
});
afterAll(() => folder.remove());

/** Every one of these reads the same in systemd's manual (systemd.exec(5), EnvironmentFile=). */
const LINES: readonly (readonly [line: string, value: string])[] = [
  ['A=b', 'b'],
  ['A=', ''],
  ['A = b c ', 'b c'],
  ["A='b'", 'b'],
  ['A="b c"', 'b c'],
  ["A=' b #c\\d\"$ '", ' b #c\\d"$ '],
  ['A={"apikey":"x y"}', '{"apikey":"x y"}'],
  ['A=\'{"apikey":"x"}\'', '{"apikey":"x"}'],
  ['A=scrypt$32768$8$3$abc$def', 'scrypt$32768$8$3$abc$def'],
  ['A=https://id.example.com/?a=b', 'https://id.example.com/?a=b'],
  ["A=it's", "it's"],
];
const AMBIGUOUS = [
  ...['A=b # comment', 'A=b\\', 'A="b\\"c"', "A='b", 'A="b', "A='b' c", 'A=`b`'],
  ...['export A=b', 'A', '=b', 'A-B=c'],
];

describe('A file of settings', () => {
  it.each(LINES)('has in %j the value %j', (line, value) => {
    expect(settingsIn(`${line}\r\n`)).toEqual({ A: value });
    // Node's own `--env-file` reads the line the same way.
    expect(parseEnv(line)).toEqual({ A: value });
  });

  it.each(AMBIGUOUS)('is refused where %j could be read in several ways', (line) => {
    expect(() => settingsIn(`# one\n\n; three\n${line}`)).toThrow(
      'line 4 can be read in several ways; it must be',
    );
  });

  it('overrides an earlier file, found from where the command was called, not the environment', async () => {
    await writeFile(join(folder.path, 'first'), 'A=1\nB=1\nC=1');
    await writeFile(join(folder.path, 'second'), 'B=2\nC=2');
    const environment = { C: '3', INIT_CWD: folder.path };
    const found = withSettingsFiles(environment, ['first', 'second']);
    expect(found).toMatchObject({ A: '1', B: '2', C: '3' });
  });
});
