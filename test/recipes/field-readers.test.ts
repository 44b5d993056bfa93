// The lines of the languages' page that read which field is wrong, as they stand there:
// each is compiled and run on a message of the service, where its language is installed.

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { validated } from '../../src/core/domain/record.js';
import { sectionOf } from '../support/pages.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const PAGE = 'src/clients/client/LANGUAGES.md';

interface Language {
  readonly name: string;
  readonly fence: string;
  readonly file: string;
  /** The program around the page's lines. It prints `PROPERTY=FOUND`, a line each, of the message in its first argument. */
  program(lines: string): string | Promise<string>;
  readonly commands: readonly (readonly [string, ...string[]])[];
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    fence: 'ts',
    file: 'fields.mjs',
    program: async (lines) => {
      const print = `for (const [name, found] of Object.entries(fieldsOf(process.argv[2] ?? ''))) console.log(name + '=' + found);`;
      return (await transform(`${lines}${print}`, { loader: 'ts' })).code;
    },
    commands: [[process.execPath, 'fields.mjs']],
  },
  {
    name: 'Python',
    fence: 'python',
    file: 'fields.py',
    program: (lines) =>
      `${lines}\nimport sys\nfor name, found in fields_of(sys.argv[1]).items():\n    print(f"{name}={found}")\n`,
    commands: [['python3', 'fields.py']],
  },
  {
    name: 'Go',
    fence: 'go',
    file: 'fields.go',
    program: (lines) =>
      `package main\n\nimport (\n\t"fmt"\n\t"os"\n\t"regexp"\n)\n\n${lines}\nfunc main() {\n\tfor name, found := range fieldsOf(os.Args[1]) {\n\t\tfmt.Println(name + "=" + found)\n\t}\n}\n`,
    commands: [['go', 'run', 'fields.go']],
  },
  {
    name: 'Java',
    fence: 'java',
    file: 'Fields.java',
    program: (lines) =>
      `import java.util.Map;\nimport java.util.regex.Pattern;\nimport java.util.stream.Collectors;\nclass Fields {\n${lines}\npublic static void main(String[] args) { fieldsOf(args[0]).forEach((name, found) -> System.out.println(name + "=" + found)); }\n}\n`,
    commands: [['java', 'Fields.java']],
  },
  {
    name: 'Rust',
    fence: 'rust',
    file: 'fields.rs',
    program: (lines) =>
      `use std::collections::HashMap;\n${lines}\nfn main() {\n    let message = std::env::args().nth(1).unwrap();\n    for (name, found) in fields_of(&message) { println!("{name}={found}"); }\n}\n`,
    commands: [['rustc', 'fields.rs'], ['./fields']],
  },
  {
    name: 'C#',
    fence: 'csharp',
    file: 'Fields.cs',
    program: (lines) =>
      `using System;\nusing System.Collections.Generic;\nusing System.Linq;\nusing System.Text.RegularExpressions;\nclass Fields {\n${lines}\nstatic void Main(string[] args) { foreach (var field in FieldsOf(args[0])) Console.WriteLine(field.Key + "=" + field.Value); }\n}\n`,
    commands: [
      ['mcs', '-langversion:latest', '-r:System.Core.dll', 'Fields.cs'],
      ['mono', 'Fields.exe'],
    ],
  },
  {
    name: 'Android (Kotlin)',
    fence: 'kotlin',
    file: 'Fields.kt',
    program: (lines) =>
      `${lines}\nfun main(args: Array<String>) { fieldsOf(args[0]).forEach { println(it.key + "=" + it.value) } }\n`,
    commands: [
      ['kotlinc', 'Fields.kt', '-include-runtime', '-d', 'fields.jar'],
      ['java', '-jar', 'fields.jar'],
    ],
  },
];

const isHere = ({ commands: [first] }: Language) =>
  first !== undefined && spawnSync(first[0], ['--version']).error === undefined;

it.each(LANGUAGES.filter(isHere))('$name reads which field is wrong', async (language) => {
  const folder = await openTemporaryFolder();
  onTestFinished(() => folder.remove());
  const [, lines = ''] =
    sectionOf(PAGE, `## ${language.name}`)
      .split('Which field is wrong')[1]
      ?.match(new RegExp(`\`\`\`${language.fence}\n([\\s\\S]*?)\`\`\``)) ?? [];
  await writeFile(join(folder.path, language.file), await language.program(lines));
  const verdict = validated('orders', { customer: '', amount: -1.5 });
  const message = verdict.ok ? '' : verdict.failure.message;
  let printed = '';
  for (const [command, ...args] of language.commands) {
    const given = command === language.commands.at(-1)?.[0] ? [...args, message] : args;
    ({ stdout: printed } = await promisify(execFile)(command, given, { cwd: folder.path }));
  }
  expect(printed.trim().split(/\r?\n/).sort()).toEqual([
    'amount=-1.5',
    'customer=an empty string',
    'service=missing',
  ]);
});
