// `node dist/server.js`: runs the service, configured by the environment; `--check` only checks what a
// start needs. Systemd units and containers run this file.

import { manage } from './tools/manage/manage.js';
import { terminal } from './tools/program/command.js';

const given = process.argv.slice(2);
const args = given[0] === '--check' ? ['check', ...given.slice(1)] : ['serve', ...given];
process.exitCode = await manage(args, terminal(import.meta.url));
