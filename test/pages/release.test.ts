// The operator's pages and files against the release: the steps of the first chapter, the
// changelog, and values that stand in several of the files that operators copy.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES as RELEASED } from '../../scripts/release/pages.js';
import { API_PREFIX } from '../../src/core/http/path.js';
import { SCHEMA_VERSION } from '../../src/storage/file/file-schema.js';
import { DOCUMENT } from '../support/openapi-document.js';
import { pageSteps } from '../support/page-steps.js';
import { ROOT, sectionOf, tableRows, textOf } from '../support/pages.js';

const PAGE = 'src/hosts/operations/README.md';
const CHAPTER = '## 1. From the archive to a watched service';
const manifest = JSON.parse(textOf('package.json'));
const OPERATIONS = 'scripts/operations';
const file = (name: string) => textOf(`${OPERATIONS}/${name}`);

describe('The first chapter', () => {
  const lines = pageSteps(PAGE, CHAPTER).flatMap((step) => step.lines);

  it('names archives of this version and files of the release', () => {
    const text = lines.join('\n');
    const versions = text.match(/(?<=service-management-)\d+\.\d+\.\d+/g) ?? [];
    expect(new Set(versions)).toEqual(new Set([manifest.version]));
    for (const [, name] of text.matchAll(/operations\/([\w.]+)/g)) {
      expect(existsSync(join(ROOT, OPERATIONS, name ?? '')), name).toBe(true);
    }
  });
});

describe('The changelog', () => {
  const heading = `## ${manifest.version}`;

  it('begins with the version that package.json has', () => {
    expect(/^## .*$/m.exec(textOf('src/CHANGELOG.md'))?.[0]).toBe(heading);
  });

  it('says which API the version has, and which description of it', () => {
    const [, segment] = /^\/api\/(v\d+)$/.exec(API_PREFIX) ?? [];
    const rows = tableRows(sectionOf('src/CHANGELOG.md', heading)).map((row) => Object.values(row));
    expect(rows).toContainEqual(['API', `${segment}, description ${DOCUMENT.info.version}`]);
  });

  it('says which schema and which Node the version has', () => {
    const rows = tableRows(sectionOf('src/CHANGELOG.md', heading)).map((row) => Object.values(row));
    const text = rows.map((cells) => cells.join(' ')).join('\n');
    expect(text, 'a new schema is the first thing that an operator asks').toMatch(
      new RegExp(`Schema of the database file ?.*\\b${SCHEMA_VERSION}\\b`),
    );
    expect(manifest.engines.node).toBe('>=20.19');
    expect(text).toContain('20.19 or newer');
  });
});

it('A release has every page of the operations', () => {
  const pages = readdirSync(join(ROOT, 'src/hosts/operations')).filter((name) =>
    name.endsWith('.md'),
  );
  expect(Object.keys(RELEASED)).toEqual(
    expect.arrayContaining(pages.map((name) => `src/hosts/operations/${name}`)),
  );
});

describe('The files for containers', () => {
  it('have the service’s address where Prometheus asks for it', () => {
    const [, address] = /OPS_HOST: ([\d.]+)/.exec(file('compose.yml')) ?? [];
    expect(file('compose.yml')).toContain(`ipv4_address: ${address}\n`);
    expect(file('compose.yml')).toContain(`OPS_HOST: ${address}\n`);
    expect(file('compose.yml')).toContain(`CONSOLE_HOST: ${address}\n`);
    expect(file('prometheus.compose.yml')).toContain(`targets: ["${address}:8082"]`);
  });

  it('have probes for the port that the image has, and one folder of backups', () => {
    const image = file('Containerfile');
    const [, port] = /OPS_PORT=(\d+)/.exec(image) ?? [];
    const kubernetes = file('kubernetes.yml');
    expect(kubernetes).toContain(`name: operations\n              containerPort: ${port}\n`);
    expect(kubernetes).toContain(`prometheus.io/port: "${port}"`);
    expect(kubernetes).toContain('type: Recreate');
    expect(kubernetes.match(/service-management:[\d.]+/g)).toEqual(
      Array(2).fill(`service-management:${manifest.version}`),
    );
    for (const text of [image, kubernetes, file('compose.yml')]) {
      expect(text).toContain('/backups/daily');
    }
  });
});

describe('The files for the console', () => {
  it.each(['Caddyfile.console', 'nginx.console.conf', 'service-console.env'])(
    '%s has the name that the others have',
    (name) => {
      expect(file(name)).toContain('CONSOLE_ORIGIN=https://console.example.com\n');
    },
  );
});
