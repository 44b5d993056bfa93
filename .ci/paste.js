// Runs the curl lines that the preview printed, as a person would paste them.
// `node .ci/paste.js FILE`: exits with 1 where one is missing or fails.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [file = ''] = process.argv.slice(2);
const lines = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('curl '));
if (lines.length !== 3) throw new Error(`the preview printed ${lines.length} curl lines, not 3`);
for (const line of lines) {
  const { data } = JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' }));
  if (data === undefined) throw new Error(`no data from: ${line}`);
  process.stdout.write(`ok  ${line}\n`);
}
