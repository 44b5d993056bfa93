#!/usr/bin/env node
// `node dist/manage.js COMMAND`, the package's command `manage`: runs the operator's commands.

import { manage } from './tools/manage/manage.js';
import { terminal } from './tools/program/command.js';

process.exitCode = await manage(process.argv.slice(2), terminal(import.meta.url));
