// Every trial by its name: the word that `npm run trust -- NAME` takes.

/** @import { Trial } from './trial.js' */

/** @type {ReadonlyMap<string, () => Promise<Trial>>} Each is loaded only when it is run. */
export const TRIALS = new Map([['backup', async () => (await import('./backup.js')).backup]]);
