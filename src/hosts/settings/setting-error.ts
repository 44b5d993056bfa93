// How an unusable setting is reported: its name, what it holds (secrets masked) and what it
// must be, in one line.

export interface Judged {
  /** As it may be shown. */
  readonly given: string;
  readonly wanted: string;
}

export class SettingError extends Error {
  constructor(name: string, given: string, wanted: string, ...others: readonly SettingError[]) {
    const own = `${name} is ${given}; it must be ${wanted}`;
    super([own, ...others.map(({ message }) => message)].join('. '));
    this.name = 'SettingError';
  }
}

const MASKED = '(hidden)';

/** In place of a secret. */
export function hidden(kind = ''): string {
  return `${kind} ${MASKED}`.trim();
}

/** The text without what a URL in it keeps secret: credentials and query. */
export function masked(text: string): string {
  const shown = text.replace(/\/\/[^/,]*@/g, `//${MASKED}@`).replace(/([?#])[^,]*/g, `$1${MASKED}`);
  return JSON.stringify(shown);
}
