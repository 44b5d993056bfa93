// `npm start` without npm: the built preview as a process.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from './bare-environment.js';

const PREVIEW = fileURLToPath(new URL('../../dist/preview.js', import.meta.url));

export interface PreviewProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Everything printed so far. */
  text(): string;
}

/** Starts a preview with its data in the folder. It may fail to start. */
export function spawnPreview(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): PreviewProcess {
  const child = spawn(process.execPath, [PREVIEW], {
    cwd: folder,
    env: { ...bareEnvironment(), PORT: '0', CONSOLE_PORT: '0', OPS_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return { child, text: () => text };
}

/** Resolves when everything is printed; rejects with what was printed if the preview ends first. */
export async function printed({ child, text }: PreviewProcess): Promise<string> {
  while (!text().includes('admin/overview')) {
    if (child.exitCode !== null) throw new Error(`the preview ended: ${text()}`);
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  }
  return text();
}

/** Ends it as Ctrl-C does and resolves with the exit code. */
export async function interrupted({ child }: PreviewProcess): Promise<number | null> {
  child.kill('SIGINT');
  if (child.exitCode === null) await once(child, 'close');
  return child.exitCode;
}
