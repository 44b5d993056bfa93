// A reader's project: a folder with the recipe's files, beside the packages that
// `npm run compat` has installed; programs that run in it; a browser.

import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onLoopback } from '../support/loopback.js';
import { type Program, startProgram } from '../support/program.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const PROJECTS = fileURLToPath(new URL('../../data/compat/projects/', import.meta.url));
export const MODULES = fileURLToPath(new URL('../../data/compat/node_modules/', import.meta.url));
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/** Containers give no user namespaces and little shared memory. */
const CHROMIUM_ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage'];

export interface Project {
  readonly path: string;
  remove(): Promise<void>;
}

export async function openRecipe(
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<Project> {
  const path = join(PROJECTS, name);
  await rm(path, { recursive: true, force: true });
  for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A project outside this one, whose configuration a framework would take for its own, with packages of its own. */
export async function openDistantRecipe(files: Readonly<Record<string, string>>): Promise<Project> {
  const folder = await openTemporaryFolder();
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await writeFile(join(folder.path, file), text);
  }
  const run = promisify(execFile);
  // Links, where both are on one file system: there are 800 MB.
  await run('cp', ['-al', MODULES, folder.path]).catch(() =>
    run('cp', ['-R', MODULES, folder.path]),
  );
  return folder;
}

/** Starts `node` with these arguments in the project. */
export function startNode(
  project: Project,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Program {
  return startProgram([process.execPath, ...args], {
    cwd: project.path,
    environment: { HOME: tmpdir(), ...environment },
  });
}

/** Runs `node` to its end; resolves with its output. Rejects with it unless the exit code is 0. */
export async function runNode(
  project: Project,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const program = startNode(project, args, environment);
  if ((await program.exited) !== 0) throw new Error(`node ${args[0]}: ${program.output()}`);
  return program.output();
}

/** The project's `main` as one script for a browser. */
export async function bundled(project: Project, main: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: project.path,
    entryPoints: [main],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    // Not this repository's own, whose pages are made by Hono.
    tsconfigRaw: {},
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

export interface Site {
  readonly origin: string;
  close(): void;
}

/** Serves the script, and a page that loads it at every other path. */
export async function openSite(script: () => string): Promise<Site> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/main.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    const page =
      '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/main.js"></script>';
    response.end(isScript ? script() : page);
  });
  return onLoopback(server);
}

export interface Window {
  readonly page: Page;
  readonly complaints: string[];
  close(): Promise<void>;
}

export async function openWindow(): Promise<Window> {
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: CHROMIUM_ARGUMENTS,
  });
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints, close: () => browser.close() };
}
