// What `npm run mutants` prints: a table of files, and the survivors.

/** @typedef {import('@stryker-mutator/api/core').MutantResult} MutantResult */

/** Whether the tests notice the mutant. @param {MutantResult} mutant */
export function isNoticed({ status }) {
  return status === 'Killed' || status === 'Timeout' || status === 'RuntimeError';
}

/** Whether the clock alone ended the tests. A loop that never ends is found by counting its rounds. @param {MutantResult} mutant */
export function hasTimedOut({ status, statusReason }) {
  return status === 'Timeout' && !statusReason?.startsWith('Hit limit reached');
}

/** @param {readonly MutantResult[]} mutants @param {string} root */
export function report(mutants, root) {
  const nameOf = (/** @type {MutantResult} */ { fileName }) => fileName.replace(root, '');
  const files = [...new Set(mutants.map(nameOf))].sort();
  const rows = files.map((file) =>
    row(
      `\`${file}\``,
      mutants.filter((mutant) => nameOf(mutant) === file),
    ),
  );
  const places = mutants
    .filter((mutant) => !isNoticed(mutant) || hasTimedOut(mutant))
    .map(
      (mutant) =>
        `${nameOf(mutant)}:${mutant.location.start.line}:${mutant.location.start.column} ` +
        `${mutant.status} ${mutant.mutatorName}: ${mutant.replacement?.replace(/\s+/g, ' ')}`,
    );
  const head = ['| File | Mutants | Noticed | | By time alone |', '|---|---|---|---|---|'];
  return [...head, ...rows, row('all', mutants), '', ...places, ''].join('\n');
}

/** @param {string} name @param {readonly MutantResult[]} mutants */
function row(name, mutants) {
  const noticed = mutants.filter(isNoticed).length;
  const byTime = mutants.filter(hasTimedOut).length;
  const share = Math.round((100 * noticed) / mutants.length);
  return `| ${name} | ${mutants.length} | ${noticed} | ${share} % | ${byTime} |`;
}
