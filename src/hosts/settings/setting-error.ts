// How unusable settings are reported: for each its name, what it holds (secrets masked) and what it
// must be, all in one line.

export class SettingError extends Error {
  constructor(...sentences: readonly string[]) {
    super(sentences.join('. '));
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
  const shown = text.replace(/\/\/.*@/s, `//${MASKED}@`).replace(/([?#]).*/s, `$1${MASKED}`);
  return JSON.stringify(shown);
}
