// A settings file as systemd reads it, for the operator's commands.

import { writeFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { settingsIn, withSettingsFiles } from '../../src/tools/program/command.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();

/** Each of these means the same in systemd's manual (systemd.exec(5), EnvironmentFile=). */
it.each([
  ['A=', ''],
  ['A = b c ', 'b c'],
  ["A='b'", 'b'],
  ['A="b c"', 'b c'],
  ["A=' b #c\\d\"$ '", ' b #c\\d"$ '],
  ['A={"apikey":"x y"}', '{"apikey":"x y"}'],
  ['A=scrypt$32768$8$3$abc$def', 'scrypt$32768$8$3$abc$def'],
  ["A=it's", "it's"],
])('A settings file with %j has the value %j', (line, value) => {
  expect(settingsIn(`${line}\r\n`)).toEqual({ A: value });
  // Node's own `--env-file` reads the line the same way.
  expect(parseEnv(line)).toEqual({ A: value });
});

it.each([
  ...['A=b # comment', 'A=b\\', 'A="b\\"c"', "A='b", 'A="b', "A='b' c", 'A=`b`'],
  ...['export A=b', 'A', '=b', 'A-B=c'],
])('A settings file is refused if its line %j is ambiguous', (line) => {
  const sentence = 'line 4 is ambiguous; it must be';
  expect(() => settingsIn(`# one\n\n; three\n${line}`)).toThrow(sentence);
});

it('A settings file, relative to where the command was called, overrides an earlier one, not the environment', async () => {
  await writeFile(folder.at('first'), 'A=1\nB=1\nC=1');
  await writeFile(folder.at('second'), 'B=2\nC=2');
  const found = withSettingsFiles({ C: '3', INIT_CWD: folder.path }, ['first', 'second']);
  expect(found).toMatchObject({ A: '1', B: '2', C: '3' });
  expect(() => withSettingsFiles({}, ['none'])).toThrow('ENOENT');
});
