// `--help` of the commands that take no other options.

/** Prints the text and ends the process if the command line asks for help; refuses any other argument. @param {string} text */
export function endWithHelp(text) {
  const given = process.argv.slice(2);
  if (given.length === 0) return;
  const asksForHelp = given.includes('--help');
  if (!asksForHelp) process.stderr.write(`unknown argument: ${given[0]}\n\n`);
  process[asksForHelp ? 'stdout' : 'stderr'].write(text);
  process.exit(asksForHelp ? 0 : 2);
}
