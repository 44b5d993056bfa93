// Every trial by its name: the word that `npm run trust -- NAME` takes.

/** @import { Trial } from './trial.js' */

/** @type {ReadonlyMap<string, () => Promise<Trial>>} Each is loaded only when it is run. */
export const TRIALS = new Map([
  ['crash', async () => (await import('./crash.js')).crash],
  ['power', async () => (await import('./power.js')).power],
  ['faults', async () => (await import('./faults.js')).faults],
  ['slow', async () => (await import('./slow.js')).slow],
  ['locked', async () => (await import('./locked.js')).locked],
  ['model', async () => (await import('./model.js')).model],
  ['json', async () => (await import('./json.js')).json],
  ['http', async () => (await import('./http.js')).http],
  ['provider', async () => (await import('./provider.js')).provider],
  ['providers', async () => (await import('./providers/load.js')).providers],
  ['providers-cost', async () => (await import('./providers/load.js')).providersCost],
  ['cpu', async () => (await import('./cpu.js')).cpu],
  ['backup', async () => (await import('./backup.js')).backup],
  ['secrets', async () => (await import('./secrets.js')).secrets],
  ['soak', async () => (await import('./soak.js')).soak],
]);
