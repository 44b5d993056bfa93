// The project's folder, for the scripts and for tests that start them.

import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
