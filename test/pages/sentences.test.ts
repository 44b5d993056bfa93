// Figures in the sentences of pages, which no table holds: each is the constant that
// the service works by.

import { expect, it } from 'vitest';
import { constantOf, textOf } from '../support/pages.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KIB = 1_024;
const MIB = 1_024 * KIB;
const WORDS: Readonly<Record<number, string>> = { 1: 'one', 2: 'twice', 5: 'five', 10: 'ten' };

const NODE = 'src/hosts/node/README.md';
const WORKERS = 'src/hosts/workers/README.md';
const SIGN_IN = 'src/core/identity/README.md';
const CONSOLE = 'src/tools/console/README.md';
const LIMITS = 'src/core/domain/limits.ts';
const CHECKS = 'src/core/identity/limited-checks.ts';
const KEYS = 'src/core/identity/cached-document.ts';
const ADMISSION = 'src/core/admission/admission.ts';
const SESSIONS = 'src/tools/console/sessions.ts';
const OUTBOX = 'src/hosts/workers/outbox.ts';
const DELIVERY = 'src/hosts/workers/delivery-parts.ts';
const SENT = 'src/hosts/workers/sent-page.ts';
const SCHEDULE = 'src/storage/backup/backup-schedule.ts';
const REPLICA = 'src/storage/replication/replica.ts';

/** `{}` stands for the constant divided by the unit, in digits; `{word}` for the same in words. */
type Sentence = readonly [
  page: string,
  words: string,
  file: string,
  constant: string,
  unit?: number,
];

const SENTENCES: readonly Sentence[] = [
  [
    'src/clients/client/README.md',
    'A call ends after {} s',
    'src/clients/client/connection.ts',
    'TIMEOUT_DEFAULT_MS',
    SECOND,
  ],
  [
    'src/clients/client/README.md',
    'is sent again, at most {word}',
    'src/clients/client/connection.ts',
    'READ_REPETITIONS_MAX',
  ],
  [CONSOLE, '{word} tries a minute', SESSIONS, 'TRIES_PER_MINUTE_MAX'],
  [CONSOLE, 'ends after {} hours without use', SESSIONS, 'SESSION_IDLE_MAX_MS', HOUR],
  [
    CONSOLE,
    'The password has {} characters',
    'src/tools/console/credentials.ts',
    'PASSWORD_MIN_CHARACTERS',
  ],
  [
    CONSOLE,
    '`http://127.0.0.1:{port}/`',
    'src/hosts/settings/console-settings.ts',
    'CONSOLE_PORT_DEFAULT',
  ],
  [
    'src/tools/data/README.md',
    'After {word} minutes without any success',
    'src/tools/data/waiting.ts',
    'PATIENCE_MS',
    MINUTE,
  ],
  [SIGN_IN, 'and nothing within {} s', LIMITS, 'IDENTITY_PROVIDER_TIMEOUT_MS', SECOND],
  [SIGN_IN, 'in {} s together', LIMITS, 'IDENTITY_PROVIDER_TIMEOUT_MS', SECOND],
  [SIGN_IN, 'is remembered, {} at most', LIMITS, 'IDENTITY_CACHE_MAX_SECONDS'],
  [SIGN_IN, 'given up after {} KiB', LIMITS, 'USERINFO_MAX_BYTES', KIB],
  [SIGN_IN, 'again every {} s', 'src/hosts/node/provider-probe.ts', 'ASK_AGAIN_MS', SECOND],
  [
    SIGN_IN,
    'A refused token is remembered for {} s',
    'src/core/identity/cached-checks.ts',
    'REFUSAL_LIFETIME_MS',
    SECOND,
  ],
  [
    SIGN_IN,
    'for that long, {} s at most',
    'src/core/identity/userinfo.ts',
    'RETRY_AFTER_MAX_SECONDS',
  ],
  [SIGN_IN, 'kept for {word} minutes', KEYS, 'FRESH_MS', MINUTE],
  [SIGN_IN, 'once in {} s at most', 'src/core/identity/jwt-verifier.ts', 'KEYS_AGE_MIN_MS', SECOND],
  [SIGN_IN, 'clocks may differ by {} s', 'src/core/identity/jwt-verifier.ts', 'CLOCK_SKEW_SECONDS'],
  [
    NODE,
    'up to {} MB for the lists that were searched',
    'src/core/records/search-blocks.ts',
    'KEPT_MAX_CHARACTERS',
    500_000,
  ],
  [NODE, 'hold at most {} MiB for an account', ADMISSION, 'ACCOUNT_MAX_HELD_BYTES', MIB],
  [NODE, 'and {} MiB in all; beyond', ADMISSION, 'TOTAL_MAX_HELD_BYTES', MIB],
  [NODE, 'has {} MiB of its own', ADMISSION, 'OWN_SHARE_BYTES', MIB],
  [NODE, 'and {} MiB more; otherwise', 'src/storage/backup/file-copy.ts', 'RESERVE_BYTES', MIB],
  [
    NODE,
    'After {} minutes a backup is given up',
    'src/storage/backup/backups.ts',
    'BACKUP_MAX_MS',
    MINUTE,
  ],
  [NODE, 'tries again after {word} minutes', SCHEDULE, 'RETRY_MS', MINUTE],
  [NODE, '0 to {plain}; 0: only on SIGUSR2', 'src/hosts/settings.ts', 'BACKUP_INTERVAL_MAX_HOURS'],
  [NODE, '1 to {plain}: how many backups', 'src/hosts/settings.ts', 'BACKUP_KEEP_MAX'],
  [
    NODE,
    '0 to {plain}: how long a stop',
    'src/hosts/settings/operations-settings.ts',
    'READY_STOP_DELAY_MAX_MS',
  ],
  [
    NODE,
    '0 to {plain}: from how long',
    'src/hosts/settings/operations-settings.ts',
    'SLOW_REQUEST_MAX_MS',
  ],
  [
    'src/hosts/node/SECURITY.md',
    'At most {} checks of unknown tokens',
    CHECKS,
    'UNKNOWN_CHECKS_MAX',
  ],
  ['src/hosts/node/SECURITY.md', '{} more of each address wait', CHECKS, 'WAITING_CHECKS_MAX'],
  ['src/hosts/node/SECURITY.md', 'have {} places of their own', CHECKS, 'KNOWN_CHECKS_MAX'],
  [
    'src/hosts/node/SECURITY.md',
    '{} addresses a minute',
    'src/core/http/refused-keys.ts',
    'ADDRESSES_MAX',
  ],
  [
    'src/hosts/operations/README.md',
    'did not answer within {} s',
    'src/hosts/operations/readiness.ts',
    'DATABASE_ANSWER_MAX_MS',
    SECOND,
  ],
  [
    'src/hosts/operations/README.md',
    'less than {} MiB are free',
    'src/hosts/operations/readiness.ts',
    'DISK_FREE_MIN_BYTES',
    MIB,
  ],
  [
    'src/hosts/operations/README.md',
    'more than {} s behind',
    'src/hosts/operations/readiness.ts',
    'REPLICA_BEHIND_MAX_SECONDS',
  ],
  [
    'src/core/records/README.md',
    'at most {} writes',
    'src/core/records/commit-group.ts',
    'WRITES_MAX',
  ],
  [
    'src/core/records/README.md',
    'some {} characters',
    'src/core/records/commit-group.ts',
    'CHARACTERS_MAX',
  ],
  [
    'src/storage/README.md',
    'at most {} bytes in a file',
    'src/storage/file/file-storage.ts',
    'TEXT_MAX_BYTES',
  ],
  [
    'src/storage/README.md',
    'and {} bytes in an object',
    'src/storage/object/object-schema.ts',
    'OBJECT_BODY_MAX_BYTES',
  ],
  [
    'src/storage/replication/README.md',
    'waits up to {} s for Litestream',
    'src/storage/file/file-storage.ts',
    'LITESTREAM_START_MAX_MS',
    SECOND,
  ],
  [
    'src/storage/replication/README.md',
    'is tried again for {} s',
    REPLICA,
    'CONFIRM_MAX_MS',
    SECOND,
  ],
  [
    'src/storage/replication/README.md',
    'the log has {} MB',
    'src/storage/file/replicated-file.ts',
    'LOG_MAX_BYTES',
    MIB,
  ],
  [
    WORKERS,
    '{} bytes unless `ACCOUNT_MAX_BYTES`',
    'src/hosts/workers/environment.ts',
    'ACCOUNT_MAX_BYTES',
  ],
  [NODE, 'On Workers {} unless set', 'src/hosts/workers/environment.ts', 'ACCOUNT_MAX_BYTES'],
  [
    WORKERS,
    'keeps at most {} characters of folded',
    'src/hosts/workers/served-account.ts',
    'SEARCH_MAX_CHARACTERS',
  ],
  [
    WORKERS,
    'at most {} bytes, then 422',
    'src/storage/object/object-schema.ts',
    'OBJECT_BODY_MAX_BYTES',
  ],
  [WORKERS, 'at most one in {} ms', OUTBOX, 'INTERVAL_MS'],
  [WORKERS, 'doubles the wait, from {} s', OUTBOX, 'ALARM_DELAY_MS', SECOND],
  [WORKERS, 'up to {} s, and up to a half', OUTBOX, 'ALARM_DELAY_MAX_MS', SECOND],
  [WORKERS, '(more than {}, or', DELIVERY, 'EVENTS_MAX'],
  [WORKERS, 'or {} bytes), its revision', DELIVERY, 'EVENTS_MAX_BYTES'],
  [WORKERS, 'more than {} characters is streamed', SENT, 'STREAM_ABOVE_CHARACTERS'],
  [WORKERS, 'in pieces of {}:', SENT, 'PIECE_CHARACTERS'],
  [
    WORKERS,
    'up to {} MiB. Left unread',
    'src/hosts/workers/unread-body.ts',
    'DRAINED_MAX_BYTES',
    MIB,
  ],
];

const CASES = SENTENCES.map(([page, words, file, constant, unit = 1]) => {
  return { page, words, file, constant, unit };
});

it.each(CASES)('$page: "$words" ($file, $constant)', ({ page, words, file, constant, unit }) => {
  const value = constantOf(file, constant) / unit;
  const sentence = words
    .replace('{}', value.toLocaleString('en-US', { maximumFractionDigits: 3 }))
    .replace(/\{(port|plain)\}/, String(value))
    .replace('{word}', WORDS[value] ?? `(${value} in words)`);
  expect(
    textOf(page).toLowerCase(),
    `${page} must say "${sentence}", by ${constant} of ${file}`,
  ).toContain(sentence.toLowerCase());
});
