// The trials of sign-in with real providers, with the folder that keeps the fetched programs.

import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';
import type { Trial } from '../trial.js';
import { cost } from './cost.js';
import { providers as judged } from './providers.js';

/** The folder of fetched programs, kept from run to run. */
const cache = join(root, 'data/providers');

export const providers: Trial = (options) => judged({ ...options, cache });

/** The cost of sign-in with Keycloak. */
export const providersCost: Trial = (options) => cost({ ...options, cache });
