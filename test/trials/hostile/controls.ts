// The service without one of its bounds, one row for each: the attack of the same row must find
// it. controls.test.ts holds the texts to the build.

import type { Change } from '../service/changed-server.js';
import type { ScenarioName } from './scenarios.js';

export interface Unbounded extends Change {
  readonly scenario: ScenarioName;
}

export const UNBOUNDED: readonly Unbounded[] = [];
