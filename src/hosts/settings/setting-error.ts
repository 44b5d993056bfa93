// The error for invalid settings: for each its name, its value (secrets masked) and what it must be,
// all in one line.

export class SettingError extends Error {
  constructor(...sentences: readonly string[]) {
    super(sentences.join('. '));
  }
}

const HIDDEN = '(hidden)';
const SECRETS = ['ADMIN_API_KEY', 'AUTH_USERINFO_HEADERS', 'CONSOLE_PASSWORD_HASH'];

/** The setting's text without secrets: a URL without credentials and query. */
export function maskedText(name: string, text: string): string {
  if (SECRETS.includes(name)) return HIDDEN;
  // A text that is not a URL may be a misplaced secret.
  if (/_(URL|ISSUER)$/.test(name) && !URL.canParse(text)) return `not a URL ${HIDDEN}`;
  const masked = text.replace(/\/\/.*@/s, `//${HIDDEN}@`).replace(/([?#]).*/s, `$1${HIDDEN}`);
  return JSON.stringify(masked);
}
