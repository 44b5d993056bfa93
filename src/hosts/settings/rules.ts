// Which settings go together. Judged by what is set, so that these problems are told together with
// those of the single settings.

import { isLoopback } from './addresses.js';
import { isPostgresUrl, type SettingName } from './schema.js';

/** What Postgres has by itself. */
const OF_A_FILE = [
  ...(['BACKUP_DIR', 'BACKUP_INTERVAL_HOURS', 'BACKUP_KEEP'] as const),
  ...(['REPLICATION', 'DATABASE_CREATE'] as const),
];

/** Empty is unset. */
type Texts = { readonly [name in SettingName]?: string | undefined };

/** A sentence for each problem; it begins with the name of a setting. */
export function problemsBetween(given: Texts): string[] {
  const { AUTH_AUDIENCE: audience, AUTH_ISSUER: issuer, AUTH_JWKS_URL: keys } = given;
  const { AUTH_USERINFO_URL: userinfo, BACKUP_DIR: backups, CONSOLE_HOST: host } = given;
  const { BACKUP_INTERVAL_HOURS: interval, BACKUP_KEEP: keep, DATABASE_URL: database } = given;
  const asks = given.AUTH_USERINFO !== 'off';
  const replicates = (given.REPLICATION || 'off') !== 'off';
  const problems: Readonly<Record<string, unknown>> = {
    'AUTH_AUDIENCE is unset; it must be the audience of the tokens, which AUTH_USERINFO=off or AUTH_JWKS_URL needs':
      (!asks || keys) && !audience,
    'AUTH_USERINFO is "off"; it must be on if AUTH_USERINFO_URL is set': !asks && userinfo,
    'AUTH_ISSUER is unset; it must be the issuer whose keys check the tokens for AUTH_AUDIENCE (or set AUTH_JWKS_URL)':
      audience && !issuer && !keys,
    'AUTH_USERINFO_URL is unset; it must be the endpoint that is asked once a token has passed (or set AUTH_ISSUER, or AUTH_USERINFO=off)':
      asks && audience && keys && !userinfo && !issuer,
    'ADMIN_API_KEY_FILE is set together with ADMIN_API_KEY; it must be unset, or the only one of the two':
      given.ADMIN_API_KEY && given.ADMIN_API_KEY_FILE,
    'BACKUP_DIR is unset; it must be the folder for the backups that BACKUP_INTERVAL_HOURS or BACKUP_KEEP asks for':
      !backups && (interval || keep) && interval !== '0',
    "BACKUP_DIR is set together with REPLICATION=async; it must be unset: Litestream's snapshots replace backups":
      backups && replicates,
    [`CONSOLE_ORIGIN is unset; it must be the https origin of the console, such as https://operator.example.com, because CONSOLE_HOST is ${JSON.stringify(host)}`]:
      host && !isLoopback(host) && !given.CONSOLE_ORIGIN,
  };
  const wrong = Object.keys(problems).filter((sentence) => problems[sentence]);
  if (!isPostgresUrl(database ?? '')) return wrong;
  const set = OF_A_FILE.filter((name) => (name === 'REPLICATION' ? replicates : given[name]));
  const needless = set.map(
    (name) =>
      `${name} is set together with a postgres URL; it must be unset: Postgres has its own backups and standbys`,
  );
  return [...wrong, ...needless];
}
