// `npm start` without npm: the built preview as a process.

import { fileURLToPath } from 'node:url';
import { type Environment, type Program, startProgram } from './program.js';

const PREVIEW = fileURLToPath(new URL('../../dist/preview.js', import.meta.url));

/** Starts a preview with its data in the folder. It may fail to start. */
export function spawnPreview(folder: string, environment: Environment = {}): Program {
  return startProgram([process.execPath, PREVIEW], {
    cwd: folder,
    environment: { PORT: '0', CONSOLE_PORT: '0', OPS_PORT: '0', ...environment },
  });
}

/** Resolves when everything is printed; rejects with what was printed if the preview ends first. */
export async function printed(preview: Program): Promise<string> {
  await preview.saw('admin/overview');
  return preview.output();
}

/** Ends it as Ctrl-C does and resolves with the exit code. */
export function interrupted(preview: Program): Promise<number | null> {
  return preview.stop('SIGINT');
}
