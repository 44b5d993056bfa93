// Opens a database file a second time, in a thread that knows nothing of the first opening.
// So it opens the file as another process would, but its descriptors belong to this process.

import { Worker } from 'node:worker_threads';

const CODE = `
  import { parentPort, workerData } from 'node:worker_threads';
  const { entry, options } = workerData;
  const { openLibsqlStorage } = await import(entry);
  try {
    const storage = await openLibsqlStorage(options);
    await storage.close();
    parentPort.postMessage('opened');
  } catch (error) {
    parentPort.postMessage(error.message);
  }`;

const entry = new URL('../../../dist/libsql.js', import.meta.url).href;

/** Resolves with the message of the refusal, or with "opened". */
export async function openElsewhere(options: {
  readonly path: string;
  readonly replication?: { readonly socketPath: string };
}): Promise<string> {
  const url = new URL(`data:text/javascript,${encodeURIComponent(CODE)}`);
  const worker = new Worker(url, { workerData: { entry, options } });
  const [message] = await new Promise<[string]>((resolve, reject) => {
    worker.once('message', (text: string) => resolve([text]));
    worker.once('error', reject);
  });
  await worker.terminate();
  return message;
}
