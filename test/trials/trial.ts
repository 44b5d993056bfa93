// The form of a trial: its options and its findings.

export interface TrialOptions {
  /** A short version, of about a minute. The figures of the long version count. */
  quick: boolean;
  /** Of a trial with several runs: part of a name; only matching runs are made. Empty: all. */
  only: string;
  /** An empty folder on a real disk for the trial's files. It is removed afterwards. */
  folder: string;
  /** Reports progress, such as `10 of 200 cycles`. */
  say: (text: string) => void;
}

/** One line of the report. */
export interface Finding {
  /** The injected fault. */
  fault: string;
  /** How often, such as `200 kills, 48310 acknowledged writes`. */
  tried: string;
  /** The result in figures, such as `0 lost`. */
  found: string;
  /** Whether the result is the promised one; undefined if this machine cannot try it. */
  holds: boolean | undefined;
}

export type Verdict = 'holds' | 'FAILS' | 'not tried';

export function verdictOf({ holds }: Finding): Verdict {
  if (holds === undefined) return 'not tried';
  return holds ? 'holds' : 'FAILS';
}

export type Trial = (options: TrialOptions) => Promise<Finding[]>;
