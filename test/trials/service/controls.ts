// Builds of the service that break a promise, as controls: a trial that does not notice
// them proves nothing. controls.test.ts holds their texts to the build.

import { changedServer } from './changed-server.js';

export interface Control {
  readonly file: string;
  /** Each `from` is in the built file once. */
  readonly replacements: readonly (readonly [from: string, to: string])[];
}

/** It does not sync a commit. */
export const LESS_DURABLE: Control = {
  file: 'storage-thread.js',
  replacements: [
    ['pragma synchronous = full', 'pragma synchronous = normal'],
    ['expectPragma(connection, "synchronous", 2)', 'expectPragma(connection, "synchronous", 1)'],
  ],
};

/** It asks for the sync of the replica, and does not wait for the answer. */
export const NOT_WAITING: Control = {
  file: 'storage-thread.js',
  replacements: [
    [
      'confirmed = this.replica.confirmed()',
      'confirmed = (void this.replica.confirmed(), Promise.resolve())',
    ],
  ],
};

/** Makes the build in a new folder and returns the path of its server. */
export function controlServer({ file, replacements }: Control, folder: string): string {
  return changedServer(folder, file, replacements);
}
