// The form of a trial: its options and its findings.

/** `small`: a minute for all of them, for every change of the code; checks no times. `quick`: a minute each. */
export type Size = 'small' | 'quick' | 'usual';

export interface TrialOptions {
  readonly size: Size;
  /** Of a trial with several runs: part of a name; only matching runs are made. Empty: all. */
  readonly only: string;
  /** An empty folder on a real disk for the trial's files. It is removed afterwards. */
  readonly folder: string;
  /** Reports progress, such as `10 of 200 cycles`. */
  say(text: string): void;
}

/** One line of the report. */
export interface Finding {
  /** The injected fault. */
  readonly fault: string;
  /** How often, such as `200 kills, 48310 acknowledged writes`. */
  readonly tried: string;
  /** The result in figures, such as `0 lost`. */
  readonly found: string;
  /** Whether the result is the promised one; undefined if this machine cannot try it. */
  readonly holds: boolean | undefined;
}

export type Trial = (options: TrialOptions) => Promise<Finding[]>;

export function notTried(fault: string, missing: string): Finding {
  return { fault, tried: 'not tried', found: missing, holds: undefined };
}
