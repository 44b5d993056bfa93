// Names in pages and in the files that operators copy: an error code, a log
// event, a metric or a property that a page names stands in the code under that name.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STATUS_OF } from '../../src/core/http/envelope.js';
import { codesIn, PAGES, ROOT, textOf } from '../support/pages.js';

/** snake_case, SCREAMING_CASE and camelCase: names that only code has. */
const NAME = /^(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+)$/;

/** Names of other programs that pages mention. */
const FOREIGN = new Set([
  'AWS_CA_BUNDLE',
  'CLOUDFLARE_ACCOUNT_ID',
  'CLOUDFLARE_API_TOKEN',
  'HTTPS_PROXY',
  'NODE_USE_ENV_PROXY',
  'authorized_keys',
  'checkpointIfNeeded',
  'execCheckpoint',
  'getBookmarkForTime',
  'getIdToken',
  'setupWorker',
  'tail_consumers',
  'workers_dev',
  'getToken',
  'maxResults',
  'network_mode',
  'newer_node',
  'offline_access',
  'receiveTimeout',
  'requestedAccessTokenVersion',
  'tcp_wmem',
  'useOptional',
  'verifyWithExecutor',
]);

/** Functions of Prometheus' query language. */
const PROMETHEUS = new Set(['histogram_quantile', 'max_over_time', 'predict_linear']);

/** Statuses that a proxy answers under the service's envelope. */
const STATUS_OF_PROXY: Readonly<Record<string, number>> = {
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
};

const KNOWN = new Set(
  ['src', 'test', 'scripts']
    .flatMap(filesIn)
    .concat('package.json', 'wrangler.toml')
    .flatMap((file) => wordsOf(textOf(file))),
);
const OF_THE_SERVICE = new Set(
  filesIn('src')
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => wordsOf(textOf(file))),
);

describe.each(PAGES)('%s', (page) => {
  const prose = textOf(page).replace(/```[\s\S]*?```/g, '');

  it('names things that the code has', () => {
    const named = codesIn(prose).flatMap(wordsOf).filter(isName);
    const unknown = named.filter((name) => !KNOWN.has(name) && !FOREIGN.has(name));
    expect(
      unknown,
      `${page}: the code has no such name; correct it, or add another program's to FOREIGN`,
    ).toEqual([]);
  });

  it('gives error codes their statuses', () => {
    for (const [words, status, code = ''] of prose.matchAll(/\b([45]\d\d) `([A-Z]+_[A-Z_]+)`/g)) {
      const wanted = { ...STATUS_OF, ...STATUS_OF_PROXY }[code];
      expect(Number(status), `${page} says "${words}"`).toBe(wanted);
    }
  });
});

it.each(['alerts.yml', 'dashboard.json'])(
  'scripts/operations/%s names what the service has',
  (name) => {
    const text = textOf(`scripts/operations/${name}`);
    const metrics = textOf('src/hosts/operations/metrics.ts');
    const named = [...new Set(text.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g))];
    const ours = named.filter((word) => !PROMETHEUS.has(word));
    expect(ours.length).toBeGreaterThan(10);
    for (const word of ours) {
      const metric = /^service_/.test(word) ? `'${word.replace(/_(bucket|sum|count)$/, '')}'` : '';
      const isThere = metric === '' ? OF_THE_SERVICE.has(word) : metrics.includes(metric);
      expect(isThere, `${name} names ${word}; the service has no such metric or event`).toBe(true);
    }
  },
);

function isName(word: string): boolean {
  return NAME.test(word);
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter(
      (path) =>
        !/node_modules|\.(md|png)$/.test(path) &&
        path !== join('test', 'pages', 'names.test.ts') &&
        statSync(join(ROOT, path)).isFile(),
    );
}
