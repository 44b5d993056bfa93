// Tests of mutants: the names by which a process that a test starts learns what to do.

/** The mutant that is tried. A changed source in another thread or process reads it. */
export const ACTIVE = '__STRYKER_ACTIVE_MUTANT__';
/** The file that takes a line for each mutant that is reached, in the run without a mutant. */
export const SEEN = 'MUTANTS_SEEN';

/** A process with few names in its environment needs these, too. */
export const PASSED_ON = [ACTIVE, SEEN, 'NODE_OPTIONS'];
