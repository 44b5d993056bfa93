// `node dist/server.js`: the service on this machine, settings from the environment; with --check
// first, what a start needs. In a file that units and containers name.

import { manage } from './tools/manage/manage.js';
import { terminal } from './tools/program/terminal.js';

const [first = '', ...rest] = process.argv.slice(2);
const args = first === '--check' ? ['check', ...rest] : ['serve', ...process.argv.slice(2)];
process.exitCode = await manage(args, terminal(import.meta.url));
