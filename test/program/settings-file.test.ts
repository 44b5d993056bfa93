// A file of settings as systemd reads it, for the commands of an operator.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withSettingsFiles } from '../../src/tools/program/settings-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await openTemporaryFolder();
});
afterAll(() => folder.remove());

async function fileOf(text: string, name = 'settings'): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
}

/** Every one of these reads the same in systemd's manual (systemd.exec(5), EnvironmentFile=). */
const LINES: readonly (readonly [line: string, value: string])[] = [
  ['A=b', 'b'],
  ['A=', ''],
  ['A=b c', 'b c'],
  ['A = b ', 'b'],
  ["A='b'", 'b'],
  ['A="b c"', 'b c'],
  ["A=' b #c\\d\"$ '", ' b #c\\d"$ '],
  ['A={"apikey":"x y"}', '{"apikey":"x y"}'],
  ['A=\'{"apikey":"x"}\'', '{"apikey":"x"}'],
  ['A=scrypt$32768$8$3$abc$def', 'scrypt$32768$8$3$abc$def'],
  ['A=https://id.example.com/?a=b', 'https://id.example.com/?a=b'],
  ["A=it's", "it's"],
];

describe('A file of settings', () => {
  it.each(LINES)('has in %j the value %j', async (line, value) => {
    expect(withSettingsFiles({}, [await fileOf(`${line}\r\n`)])).toEqual({ A: value });
    // Node's own `--env-file` reads the line the same way.
    expect(parseEnv(line)).toEqual({ A: value });
  });

  it.each([
    ['A=b # comment'],
    ['A=b\\'],
    ['A="b\\"c"'],
    ["A='b"],
    ['A="b'],
    ["A='b' c"],
    ['A=`b`'],
    ['export A=b'],
    ['A'],
    ['=b'],
    ['A-B=c'],
  ])('is refused where %j could be read in several ways', async (line) => {
    const path = await fileOf(`# one\n\n; three\n${line}`);
    expect(() => withSettingsFiles({}, [path])).toThrow(
      `line 4 of the settings file ${path} can be read in several ways; it must be`,
    );
  });

  it('goes before an earlier file, and behind the environment', async () => {
    const first = await fileOf('A=1\nB=1\nC=1', 'first');
    const second = await fileOf('B=2\nC=2', 'second');
    expect(withSettingsFiles({ C: '3' }, [first, second])).toEqual({ A: '1', B: '2', C: '3' });
  });

  it('is found from where the command was called', async () => {
    await fileOf('A=b', 'here');
    expect(withSettingsFiles({ INIT_CWD: folder.path }, ['here'])).toMatchObject({ A: 'b' });
  });

  it('is named where it cannot be read', () => {
    const path = join(folder.path, 'none');
    expect(() => withSettingsFiles({}, [path])).toThrow(
      `the settings file ${path} cannot be read (ENOENT); name a file that this user may read`,
    );
  });
});
