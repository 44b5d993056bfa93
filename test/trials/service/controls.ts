// A build of the service that breaks a promise, as control: a trial that does not notice it proves
// nothing. controls.test.ts holds the texts to the build.

/** It does not sync a commit. Each `from` is in the built file once. */
export const LESS_DURABLE = {
  file: 'storage-thread.js',
  replacements: [
    ['pragma synchronous = full', 'pragma synchronous = normal'],
    ['expectPragma(connection, "synchronous", 2)', 'expectPragma(connection, "synchronous", 1)'],
  ],
} as const;
