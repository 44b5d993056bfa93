// The services that the tests of one file share: Vitest runs this before each file, and closes them after it.

import { afterAll } from 'vitest';
import { closeOpened } from './opened-services.js';

afterAll(closeOpened);
