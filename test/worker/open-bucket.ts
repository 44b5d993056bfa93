// An empty bucket of the platform's runtime, without a Worker.

import '../support/miniflare-waits.js';
import { Miniflare } from 'miniflare';
import type { CopiesEnvironment } from '../../src/hosts/workers/copies/copy-format.js';

export type Bucket = NonNullable<CopiesEnvironment['COPIES']>;

export interface OpenBucket {
  readonly bucket: Bucket;
  close(): Promise<void>;
}

export async function openBucket(): Promise<OpenBucket> {
  const contents = 'export default {};';
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'no-worker.js', contents }],
    r2Buckets: ['COPIES'],
  });
  const bucket = (await miniflare.getR2Bucket('COPIES')) as unknown as Bucket;
  return { bucket, close: () => miniflare.dispose() };
}
