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

const LIMITS = 'src/domain/limits.ts';
const CHECKS = 'src/identity/bounded-checks.ts';
const KEYS = 'src/identity/kept-document.ts';
const ALLOWANCE = 'src/admission/admission.ts';
const SESSIONS = 'src/console/sessions.ts';
const OUTBOX = 'src/worker/outbox.ts';
const DELIVERY = 'src/worker/delivery-parts.ts';
const SENT = 'src/worker/sent-page.ts';
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
    'src/client/README.md',
    'A call ends after {} s',
    'src/client/connection.ts',
    'TIMEOUT_DEFAULT_MS',
    SECOND,
  ],
  [
    'src/client/README.md',
    'is sent again, at most {word}',
    'src/client/connection.ts',
    'READ_REPETITIONS_MAX',
  ],
  ['src/console/README.md', '{word} tries a minute', SESSIONS, 'TRIES_PER_MINUTE_MAX'],
  [
    'src/console/README.md',
    'ends after {} hours without use',
    SESSIONS,
    'SESSION_IDLE_MAX_MS',
    HOUR,
  ],
  [
    'src/console/README.md',
    'The password has {} characters',
    'src/console/credentials.ts',
    'PASSWORD_MIN_CHARACTERS',
  ],
  [
    'src/console/README.md',
    '`http://127.0.0.1:{port}/`',
    'src/settings/console-settings.ts',
    'CONSOLE_PORT_DEFAULT',
  ],
  [
    'src/data/README.md',
    'After {word} minutes without any success',
    'src/data/waiting.ts',
    'PATIENCE_MS',
    MINUTE,
  ],
  [
    'src/identity/README.md',
    'and nothing within {} s',
    LIMITS,
    'IDENTITY_PROVIDER_TIMEOUT_MS',
    SECOND,
  ],
  ['src/identity/README.md', 'in {} s together', LIMITS, 'IDENTITY_PROVIDER_TIMEOUT_MS', SECOND],
  ['src/identity/README.md', 'is remembered, {} at most', LIMITS, 'IDENTITY_CACHE_MAX_SECONDS'],
  ['src/identity/README.md', 'given up after {} KiB', LIMITS, 'USERINFO_MAX_BYTES', KIB],
  [
    'src/identity/README.md',
    'again every {} s',
    'src/node/provider-probe.ts',
    'ASK_AGAIN_MS',
    SECOND,
  ],
  [
    'src/identity/README.md',
    'A refused token is remembered for {} s',
    'src/identity/shared-checks.ts',
    'REFUSAL_LIFETIME_MS',
    SECOND,
  ],
  [
    'src/identity/README.md',
    'for that long, {} s at most',
    'src/identity/userinfo.ts',
    'RETRY_AFTER_MAX_SECONDS',
  ],
  ['src/identity/README.md', 'kept for {word} minutes', KEYS, 'FRESH_MS', MINUTE],
  [
    'src/identity/README.md',
    'once in {} s at most',
    'src/identity/token-gate.ts',
    'KEYS_AGE_MIN_MS',
    SECOND,
  ],
  [
    'src/identity/README.md',
    'clocks may differ by {} s',
    'src/identity/token-gate.ts',
    'CLOCK_SKEW_SECONDS',
  ],
  [
    'src/node/README.md',
    'up to {} MB for the lists that were searched',
    'src/records/search-blocks.ts',
    'KEPT_MAX_CHARACTERS',
    500_000,
  ],
  ['src/node/README.md', 'hold at most {} MiB for an account', ALLOWANCE, 'ACCOUNT_MAX_BYTES', MIB],
  ['src/node/README.md', 'and {} MiB in all; beyond', ALLOWANCE, 'TOTAL_MAX_BYTES', MIB],
  ['src/node/README.md', 'has {} MiB of its own', ALLOWANCE, 'OWN_SHARE_BYTES', MIB],
  [
    'src/node/README.md',
    'and {} MiB more; otherwise',
    'src/storage/backup/file-copy.ts',
    'RESERVE_BYTES',
    MIB,
  ],
  [
    'src/node/README.md',
    'After {} minutes a backup is given up',
    'src/storage/backup/backups.ts',
    'BACKUP_MAX_MS',
    MINUTE,
  ],
  ['src/node/README.md', 'tries again after {word} minutes', SCHEDULE, 'RETRY_MS', MINUTE],
  [
    'src/node/README.md',
    '0 to {plain}; 0: only on SIGUSR2',
    'src/settings.ts',
    'BACKUP_INTERVAL_MAX_HOURS',
  ],
  ['src/node/README.md', '1 to {plain}: how many backups', 'src/settings.ts', 'BACKUP_KEEP_MAX'],
  [
    'src/node/README.md',
    '0 to {plain}: how long a stop',
    'src/settings/operations-settings.ts',
    'READY_STOP_DELAY_MAX_MS',
  ],
  [
    'src/node/README.md',
    '0 to {plain}: from how long',
    'src/settings/operations-settings.ts',
    'SLOW_REQUEST_MAX_MS',
  ],
  ['src/node/SECURITY.md', 'At most {} checks of unknown tokens', CHECKS, 'UNKNOWN_CHECKS_MAX'],
  ['src/node/SECURITY.md', '{} more of each address wait', CHECKS, 'WAITING_CHECKS_MAX'],
  ['src/node/SECURITY.md', 'have {} places of their own', CHECKS, 'KNOWN_CHECKS_MAX'],
  ['src/node/SECURITY.md', '{} addresses a minute', 'src/http/refused-keys.ts', 'ADDRESSES_MAX'],
  [
    'src/operations/README.md',
    'did not answer within {} s',
    'src/operations/readiness.ts',
    'DATABASE_ANSWER_MAX_MS',
    SECOND,
  ],
  [
    'src/operations/README.md',
    'less than {} MiB are free',
    'src/operations/readiness.ts',
    'DISK_FREE_MIN_BYTES',
    MIB,
  ],
  [
    'src/operations/README.md',
    'more than {} s behind',
    'src/operations/readiness.ts',
    'REPLICA_BEHIND_MAX_SECONDS',
  ],
  ['src/records/README.md', 'at most {} writes', 'src/records/commit-group.ts', 'WRITES_MAX'],
  ['src/records/README.md', 'some {} characters', 'src/records/commit-group.ts', 'CHARACTERS_MAX'],
  [
    'src/storage/README.md',
    'at most {} bytes in a file',
    'src/storage/file/file-journal.ts',
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
    'src/storage/file/file-journal.ts',
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
    'src/worker/README.md',
    '{} bytes unless `ACCOUNT_MAX_BYTES`',
    'src/worker/environment.ts',
    'ACCOUNT_MAX_BYTES',
  ],
  [
    'src/node/README.md',
    'On Workers {} unless set',
    'src/worker/environment.ts',
    'ACCOUNT_MAX_BYTES',
  ],
  [
    'src/worker/README.md',
    'keeps at most {} characters of folded',
    'src/worker/served-account.ts',
    'SEARCH_MAX_CHARACTERS',
  ],
  [
    'src/worker/README.md',
    'at most {} bytes, then 422',
    'src/storage/object/object-schema.ts',
    'OBJECT_BODY_MAX_BYTES',
  ],
  ['src/worker/README.md', 'at most one in {} ms', OUTBOX, 'INTERVAL_MS'],
  ['src/worker/README.md', 'doubles the wait, from {} s', OUTBOX, 'ALARM_DELAY_MS', SECOND],
  ['src/worker/README.md', 'up to {} s, and up to a half', OUTBOX, 'ALARM_DELAY_MAX_MS', SECOND],
  ['src/worker/README.md', '(more than {}, or', DELIVERY, 'EVENTS_MAX'],
  ['src/worker/README.md', 'or {} bytes), its revision', DELIVERY, 'EVENTS_MAX_BYTES'],
  ['src/worker/README.md', 'more than {} characters is streamed', SENT, 'STREAM_ABOVE_CHARACTERS'],
  ['src/worker/README.md', 'in pieces of {}:', SENT, 'PIECE_CHARACTERS'],
  [
    'src/worker/README.md',
    'up to {} MiB. Left unread',
    'src/worker/unread-body.ts',
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
