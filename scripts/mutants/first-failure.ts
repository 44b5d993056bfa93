// Tests of mutants: one failure is enough, so none is made smaller.

import fc from 'fast-check';

fc.configureGlobal({ endOnFailure: true });
