// Time slices on a host whose clock stands still while a request computes: the platform advances it
// only at input and output. So steps are counted. A step of long work (a window of a search, a piece
// of an answer, a group of payment rows) takes about 0.1 ms.

import { FairScheduler } from '../../core/admission/fair-scheduler.js';

const STEP_MS = 0.1;

export class ObjectScheduler extends FairScheduler {
  constructor() {
    let steps = 0;
    super({ stopwatch: () => STEP_MS * steps++ });
  }
}
