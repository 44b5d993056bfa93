// A reader's project: a folder with a recipe's files and the packages that `npm run compat`
// installed, and a browser to run it. Also downloads programs once.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { startChromium } from '../support/console-browser.js';
import { listenLocally } from '../support/listen.js';
import { ROOT } from '../support/pages.js';

const exec = promisify(execFile);
/** Packages and downloaded programs, kept between runs. */
export const CACHE = join(ROOT, 'data/compat');
export const MODULES = join(CACHE, 'node_modules');
export const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

/** The files bundled from the entry `main`, with the installed packages. */
export async function bundled(files: Readonly<Record<string, string>>, main: string) {
  const folder = join(CACHE, 'projects', main);
  await mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: [main],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    // Not this repository's own, whose JSX is Hono's.
    tsconfigRaw: {},
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
    write: false,
  });
  await rm(folder, { recursive: true });
  return outputFiles[0]?.text ?? '';
}

/** A browser with a page that runs the script, and the page's errors. */
export async function openWindow(script: string) {
  const page =
    '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/main.js"></script>';
  const server = createServer(({ url }, response) => {
    const [type, text] = url === '/main.js' ? ['text/javascript', script] : ['text/html', page];
    response.setHeader('Content-Type', `${type}; charset=utf-8`).end(text);
  });
  const site = await listenLocally(server);
  const browser = await startChromium();
  const window = await browser.newPage();
  const complaints: string[] = [];
  window.on('pageerror', (error) => complaints.push(error.message));
  return {
    ...{ page: window, origin: site.origin, complaints },
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

/** Creates the file or folder `path` by the commands, unless it exists. */
export async function have(path: string, ...commands: readonly (readonly string[])[]) {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  for (const [command = '', ...args] of commands) {
    await exec(command, args, { cwd: dirname(path), maxBuffer: OUTPUT_MAX_BYTES });
  }
  if (!existsSync(path)) throw new Error(`${commands.join('; ')} did not make ${path}`);
}

/** A copy of a Maven artifact, such as `org.keycloak:keycloak-quarkus-dist:26.4.0:zip`. */
export function mavenCopy(artifact: string, folder: string): readonly string[] {
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
  return ['mvn', '-q', '-B', plugin, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
}
