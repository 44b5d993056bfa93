// Tells a second preview where the first one runs: a file beside the data, which
// counts only while its process lives and its address answers.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const ANSWER_MAX_MS = 1_000;

export interface PreviewNotice {
  /** Origin of the API, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly processId: number;
}

/** Resolves with the notice of the preview that runs on this data; undefined where none does. */
export async function runningPreview(path: string): Promise<PreviewNotice | undefined> {
  try {
    const notice: PreviewNotice = JSON.parse(await readFile(path, 'utf8'));
    // Throws where the process is gone.
    process.kill(notice.processId, 0);
    const health = await fetch(`${notice.origin}/api/v1/health`, {
      signal: AbortSignal.timeout(ANSWER_MAX_MS),
    });
    // Another program may have its number and port by now.
    const { data } = (await health.json()) as { data?: { service?: unknown } };
    return data?.service === undefined ? undefined : notice;
  } catch {
    return undefined;
  }
}

/** Leaves the notice; resolves with a function that removes it. */
export async function leaveNotice(path: string, origin: string): Promise<() => Promise<void>> {
  const notice: PreviewNotice = { origin, processId: process.pid };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(notice)}\n`);
  return () => rm(path, { force: true });
}
