// `manage hash`: asks for a password and prints the line that sets CONSOLE_PASSWORD_HASH.

import { randomBytes } from 'node:crypto';
import { hashPassword } from '../console/credentials.js';
import { readSecretLine } from '../console/secret-line.js';
import { commandOf } from '../program/command.js';
import { EXIT_DONE } from '../program/ending.js';

export const HASH = commandOf({
  name: 'manage hash',
  usage: '',
  about: `Asks for a password, or reads it from standard input, and prints the line that
sets CONSOLE_PASSWORD_HASH, for a file of settings or a shell.`,
  options: {},
  async run(_, { out }) {
    const password = await readSecretLine(process.stdin, process.stderr, 'Password: ');
    const hash = await hashPassword(password, randomBytes);
    // In quotation marks: a shell would replace what begins with $.
    out(`CONSOLE_PASSWORD_HASH='${hash}'\n`);
    return EXIT_DONE;
  },
});
