// Tells a second preview where the first one runs, by a file beside the data. The file
// counts only while its process lives and its address answers.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** One question waits this long for its answer. */
const ANSWER_MAX_MS = 1_000;
/** A preview that answers late is asked this often. */
const ASKED_MAX = 10;

export interface PreviewNotice {
  /** Origin of the API, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly processId: number;
}

/** Resolves with the notice of the preview that runs on this data; undefined if none does. */
export async function runningPreview(path: string): Promise<PreviewNotice | undefined> {
  try {
    const notice: PreviewNotice = JSON.parse(await readFile(path, 'utf8'));
    // Throws if the process is gone.
    process.kill(notice.processId, 0);
    return (await answersAsService(notice.origin)) ? notice : undefined;
  } catch {
    return undefined;
  }
}

/** Asks again only if no answer came in time: on a busy machine a preview answers late. */
async function answersAsService(origin: string): Promise<boolean> {
  for (let asked = 0; asked < ASKED_MAX; asked++) {
    try {
      const health = await fetch(`${origin}/api/v1/health`, {
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      });
      // Another program may have the preview's process id and port by now.
      const { data } = (await health.json()) as { data?: { service?: unknown } };
      return data?.service !== undefined;
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error;
    }
  }
  return false;
}

/** Leaves the notice; resolves with a function that removes it. */
export async function leaveNotice(path: string, origin: string): Promise<() => Promise<void>> {
  const notice: PreviewNotice = { origin, processId: process.pid };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(notice)}\n`);
  return () => rm(path, { force: true });
}
