// `npm run compat`: tests the service with third-party programs before a release: the pages' recipes with
// their frameworks, a client generator, identity providers, a fuzzer and the whole release. Installs
// what it needs into data/compat.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packClient } from './pack-client.js';
import { root } from './root.js';

const FOLDER = join(root, 'data/compat');
/** `--no-engine-strict`: packages for browsers may ask for a newer Node than runs here. */
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error', '--no-engine-strict'];
const KUBERNETES_VALIDATE = 'kubernetes-validate==1.37.0';

const JAVA = { java: 'default-jdk-headless', mvn: 'maven' };
const PYTHON = { python3: 'python3-venv' };
/** Parts, their test files, and the Debian package of each command that they need. @type {Readonly<Record<string, { files: string[], debian: Readonly<Record<string, string>> }>>} */
const PARTS = {
  recipes: {
    files: ['apps', 'tokens'],
    debian: { chromium: 'chromium' },
  },
  generators: { files: ['generators'], debian: JAVA },
  providers: { files: ['keycloak'], debian: { ...JAVA, ...PYTHON } },
  fuzzer: { files: ['fuzzer'], debian: PYTHON },
  release: {
    files: [],
    debian: {
      ...PYTHON,
      caddy: 'caddy',
      promtool: 'prometheus',
      'docker-compose': 'docker-compose',
    },
  },
};

const HELP = `npm run compat -- [PART ...]

Runs the service with third-party programs; takes about ten minutes. Parts:

  recipes     the recipes of sign-in and of an app in React
  generators  a Kotlin client made from the OpenAPI document
  providers   sign-in with Keycloak
  fuzzer      Schemathesis; FUZZER_EXAMPLES=130 for a long run
  release     npm run test:release, with the programs that read its files

Missing programs are installed with apt-get, npm and pip.
`;

const given = process.argv.slice(2);
const unknown = given.filter((name) => !Object.hasOwn(PARTS, name));
if (given.includes('--help')) {
  process.stdout.write(HELP);
} else if (unknown.length > 0) {
  process.stderr.write(`unknown part: ${unknown.join(', ')}\n\n${HELP}`);
  process.exitCode = 2;
} else {
  await run(given.length > 0 ? given : Object.keys(PARTS));
}

/** @param {readonly string[]} parts */
async function run(parts) {
  for (const part of parts) installDebian(PARTS[part]?.debian ?? {});
  const files = parts.flatMap((part) => PARTS[part]?.files ?? []);
  const codes = [];
  if (files.length > 0) {
    await installPackages();
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const paths = files.map((name) => `test/compat/${name}`);
    const args = [
      vitest,
      'run',
      '--config',
      'test/vitest.config.ts',
      '--project',
      'compat',
      ...paths,
    ];
    codes.push(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status);
  }
  if (parts.includes('release')) codes.push(testRelease());
  if (codes.some((code) => code !== 0)) process.exitCode = 1;
}

/** @param {Readonly<Record<string, string>>} programs */
function installDebian(programs) {
  const missing = Object.entries(programs).filter(
    ([command]) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0,
  );
  if (missing.length === 0) return;
  must('apt-get', ['update', '-qq']);
  must('apt-get', ['install', '-y', '-qq', ...missing.map(([, name]) => name)]);
}

/** The packages of test/compat, and this project's as `npm pack` makes them. */
async function installPackages() {
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(join(root, 'test/compat/package.json'), join(FOLDER, 'package.json'));
  npm(['install', '--no-package-lock'], FOLDER);
  const packed = mkdtempSync(join(tmpdir(), 'packed-'));
  try {
    npm(['pack', '--ignore-scripts', '--pack-destination', packed], root);
    const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const archives = [join(packed, `${name}-${version}.tgz`), await packClient(packed)];
    npm(['install', '--no-save', ...archives], FOLDER);
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}

function testRelease() {
  const python = join(FOLDER, 'kubernetes-validate');
  if (!existsSync(python)) {
    must('python3', ['-m', 'venv', python]);
    must(join(python, 'bin/pip'), ['install', '--quiet', KUBERNETES_VALIDATE]);
  }
  const env = { ...process.env, PATH: `${join(python, 'bin')}:${process.env['PATH']}` };
  return spawnSync('npm', ['run', 'test:release'], { cwd: root, stdio: 'inherit', env }).status;
}

/** @param {readonly string[]} args @param {string} cwd */
function npm(args, cwd) {
  execFileSync('npm', [...args, ...QUIET], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @param {string} command @param {readonly string[]} args */
function must(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error ?? status}`);
}
