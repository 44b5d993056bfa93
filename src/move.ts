// `node dist/move.js`, which is `npm run move`: accounts from a database file to
// Workers, and back into a new file.

import { terminal } from './data/terminal.js';
import { runMove } from './move/run-move.js';

// One that nobody listens for makes Node open its debugger, to every program of this machine.
process.on('SIGUSR1', () => {});

process.exitCode = await runMove(process.argv.slice(2), terminal(import.meta.url));
