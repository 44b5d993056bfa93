// A bare machine: run by `unshare` with its own mounts, network and processes. Writes to /etc, /opt
// and other folders leave no trace, and there is no Node. `machine.js WORK FOLDER LINES`: runs each
// line of the JSON list in the folder, and prints as JSON what each printed. Plain JavaScript: it
// is started by its path.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const [work = '', folder = '', lines = '[]'] = process.argv.slice(2);
const WRITTEN = ['/etc', '/opt', '/var/lib', '/var/backups', '/usr/local/bin'];
const PROGRAMS_OF_NODE = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'];
/** The identity provider's port in the test's commands. */
const PROVIDER_PORT = 9100;
const STAND_INS = fileURLToPath(new URL('stand-ins', import.meta.url));

execFileSync('ip', ['link', 'set', 'lo', 'up']);
execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', work]);
for (const [index, path] of WRITTEN.entries()) {
  const [upper, own] = [`${work}/upper-${index}`, `${work}/own-${index}`];
  mkdirSync(upper);
  mkdirSync(own);
  const layers = `lowerdir=${path},upperdir=${upper},workdir=${own}`;
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, path]);
}
const nothing = `${work}/nothing`;
writeFileSync(nothing, '');
for (const path of new Set(PROGRAMS_OF_NODE)) {
  if (existsSync(path)) execFileSync('mount', ['--bind', nothing, path]);
}

const provider = createServer(({ headers }, response) => {
  const isGood = headers.authorization === 'Bearer good';
  response.writeHead(isGood ? 200 : 401).end(isGood ? '{"sub":"amina"}' : '{}');
});
await new Promise((resolve) => provider.listen(PROVIDER_PORT, '127.0.0.1', () => resolve(null)));

const results = [];
for (const line of JSON.parse(lines)) results.push({ line, ...(await run(line)) });
process.stdout.write(JSON.stringify(results));
// What it started ends with this process, the first in its namespace.
process.exit();

/** @param {string} line */
function run(line) {
  const child = spawn('sh', ['-c', `${line}\n`], {
    cwd: folder,
    env: {
      PATH: `${STAND_INS}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
      HOME: work,
      LANG: 'C.UTF-8',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}
