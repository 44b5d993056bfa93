// Every setting of this project's programs. `read` takes no other name, and the
// start warns of a name that is almost one of these.

export const SETTING_NAMES = [
  'ACCOUNT_MAX_BYTES',
  'ACCOUNT_MAX_RECORDS',
  'ADMIN_API_KEY',
  'ADMIN_API_KEY_FILE',
  'AUTH_AUDIENCE',
  'AUTH_CACHE_SECONDS',
  'AUTH_ISSUER',
  'AUTH_JWKS_URL',
  'AUTH_SUBJECT_FIELD',
  'AUTH_USERINFO_HEADERS',
  'AUTH_USERINFO_METHOD',
  'AUTH_USERINFO_URL',
  'BACKUP_DIR',
  'BACKUP_INTERVAL_HOURS',
  'BACKUP_KEEP',
  'CONSOLE_HOST',
  'CONSOLE_OPS_URL',
  'CONSOLE_ORIGIN',
  'CONSOLE_PASSWORD_HASH',
  'CONSOLE_PORT',
  'CONSOLE_TIME_ZONE',
  'CORS_ALLOWED_ORIGINS',
  'DATABASE_URL',
  'HOST',
  'OPS_HOST',
  'OPS_PORT',
  'PORT',
  'READY_STOP_DELAY_MS',
  'REQUEST_LOG',
  'SERVICE_URL',
  'SLOW_REQUEST_MS',
] as const;

export type SettingName = (typeof SETTING_NAMES)[number];
