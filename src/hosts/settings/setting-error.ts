// How unusable settings are reported: for each its name, what it holds (secrets masked) and what it
// must be, all in one line.

export class SettingError extends Error {
  constructor(...sentences: readonly string[]) {
    super(sentences.join('. '));
  }
}

const HIDDEN = '(hidden)';
const SECRETS = ['ADMIN_API_KEY', 'AUTH_USERINFO_HEADERS', 'CONSOLE_PASSWORD_HASH'];

/** The text of a setting without what it keeps secret: of a URL the credentials and the query. */
export function maskedText(name: string, text: string): string {
  if (SECRETS.includes(name)) return HIDDEN;
  // A text given instead of a URL may be a misplaced secret.
  if (/_(URL|ISSUER)$/.test(name) && !URL.canParse(text)) return `no URL ${HIDDEN}`;
  const masked = text.replace(/\/\/.*@/s, `//${HIDDEN}@`).replace(/([?#]).*/s, `$1${HIDDEN}`);
  return JSON.stringify(masked);
}
