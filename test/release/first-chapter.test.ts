// The first chapter of the page of operations, pasted line by line from a release, in a folder
// with nothing but the archive and its checksum, on a machine without Node.

import { execFile, spawnSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { pageSteps } from '../support/page-steps.js';
import { privateMounts } from '../support/private-mounts.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const PAGE = 'src/hosts/operations/README.md';
const CHAPTER = '## 1. From the archive to a watched service';
const MACHINE = fileURLToPath(new URL('machine.js', import.meta.url));
const OWN = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const STARTED = 'systemctl enable --now';
/** Only the superuser can make users and units, also on a machine of its own. */
const canTry =
  process.getuid?.() === 0 &&
  privateMounts() !== undefined &&
  ['ip', 'caddy', 'promtool', 'runuser', '/usr/bin/systemctl'].every(
    (program) => spawnSync(program, ['--version']).error === undefined,
  );

/** What is asked after the chapter: what it promises. */
const QUESTIONS = {
  created: `curl -s -w ' %{http_code}' http://127.0.0.1:8080/api/v1/customers -H 'Authorization: Bearer good' -d '{"name":"Neema","phone":"1"}'`,
  admin: `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/api/v1/admin/overview -H "X-Service-Admin-Key: $(cat /etc/service-management/admin-key)"`,
  metrics: 'curl -s http://127.0.0.1:8082/metrics | grep service_build_info{',
  // The first one is taken after the start, and a busy machine takes its time.
  backup:
    'cd /var/backups/service-management/daily; until ls *.db >/dev/null 2>&1; do sleep 0.1; done; ls *.db | wc -l',
  user: 'stat -c %U /var/lib/service-management/service.db',
  key: 'stat -c "%a %U %G" /etc/service-management/admin-key',
  verified:
    'systemd-analyze verify /etc/systemd/system/service-management.service /etc/systemd/system/service-console.service',
  exposure:
    'systemd-analyze security --offline=yes /etc/systemd/system/service-management.service | tail -n 1',
  again: '/opt/service-management-0.1.0/operations/install.sh',
};

interface Result {
  readonly line: string;
  readonly code: number;
  readonly output: string;
}

let folder: TemporaryFolder;
let work: TemporaryFolder;
let results: readonly Result[];
const steps = pageSteps(PAGE, CHAPTER);

describe.runIf(canTry)('The first chapter of the page of operations', () => {
  beforeAll(async () => {
    folder = await openTemporaryFolder();
    work = await openTemporaryFolder();
    for (const path of [inject('withNode'), join(inject('release'), 'SHA256SUMS')]) {
      await copyFile(path, join(folder.path, basename(path)));
    }
    const lines = [...steps.flatMap((step) => step.lines), ...Object.values(QUESTIONS)].map(
      (line) =>
        line.replace('https://id.example.com/oidc/userinfo', 'http://127.0.0.1:9100/userinfo'),
    );
    const args = [...OWN, process.execPath, MACHINE, work.path, folder.path, JSON.stringify(lines)];
    const { stdout } = await promisify(execFile)('unshare', args);
    results = JSON.parse(stdout);
  });
  afterAll(async () => {
    await folder?.remove();
    await work?.remove();
  });

  it('prints what the page shows, line by line', () => {
    let at = 0;
    for (const { lines, output } of steps) {
      const done = results.slice(at, at + lines.length);
      at += lines.length;
      expect(done.filter(({ code }) => code !== 0)).toEqual([]);
      const printed = done.map((result) => result.output).join('');
      expect(timeless(printed), lines.join('\n')).toBe(timeless(output));
    }
    expect(results.some(({ line }) => line.startsWith(STARTED))).toBe(true);
  });

  const answerTo = (name: keyof typeof QUESTIONS) =>
    results[steps.flatMap(({ lines }) => lines).length + Object.keys(QUESTIONS).indexOf(name)]
      ?.output ?? '';

  it('ends with a service that takes writes, has an administration API, figures and a backup', () => {
    expect(answerTo('created')).toMatch(/"owner_sub":"amina".* 201$/);
    expect(answerTo('admin')).toBe('200');
    expect(answerTo('metrics')).toMatch(/version="0\.1\.0"/);
    expect(answerTo('backup').trim()).toBe('1');
  });

  it('gives the database to the service’s user, and the key to root and that user', () => {
    expect(answerTo('user').trim()).toBe('service-management');
    expect(answerTo('key').trim()).toBe('640 root service-management');
  });

  it('puts units in place that systemd finds nothing wrong with', () => {
    expect(answerTo('verified')).toBe('');
    expect(answerTo('exposure')).toMatch(/: 1\.4 OK/);
  });

  it('makes nothing twice', () => {
    expect(answerTo('again')).toBe('in place /opt/service-management-0.1.0\n');
  });
});

function timeless(text: string): string {
  return text.replaceAll(/"time":"[^"]*"/g, '"time":"…"');
}
