// The first chapter of the operations page, pasted line by line, in a folder with only the archive
// and its checksum, on a machine without Node.

import { execFile, spawnSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
import { sectionOf } from '../support/pages.js';
import { privateMounts } from '../support/private-mounts.js';
import { openFolder } from '../support/test-folder.js';

const PAGE = 'src/hosts/operations/README.md';
const CHAPTER = '## The steps';
const MACHINE = fileURLToPath(new URL('machine.js', import.meta.url));
const OWN = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** Only the superuser can create users and units, even on this bare machine. */
const canTry =
  process.getuid?.() === 0 &&
  privateMounts() !== undefined &&
  ['ip', 'caddy', 'promtool', 'runuser', '/usr/bin/systemctl'].every(
    (program) => spawnSync(program, ['--version']).error === undefined,
  );

/** What is checked after the chapter, and what it promises. */
const QUESTIONS: readonly (readonly [command: string, answer: RegExp])[] = [
  [
    `curl -s -w ' %{http_code}' http://127.0.0.1:8080/api/v1/customers -H 'Authorization: Bearer good' -d '{"name":"Neema","phone":"1"}'`,
    /"owner_sub":"amina".* 201$/,
  ],
  [
    `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/api/v1/admin/overview -H "X-Service-Admin-Key: $(cat /etc/service-management/admin-key)"`,
    /^200$/,
  ],
  ['curl -s http://127.0.0.1:8082/metrics | grep service_build_info{', /version="0\.1\.0"/],
  // The first one is taken after the start, and a busy machine takes its time.
  [
    'cd /var/backups/service-management/daily; until ls *.db >/dev/null 2>&1; do sleep 0.1; done; ls *.db | wc -l',
    /^1$/m,
  ],
  ['stat -c %U /var/lib/service-management/service.db', /^service-management$/m],
  ['stat -c "%a %U %G" /etc/service-management/admin-key', /^640 root service-management$/m],
  [
    'systemd-analyze verify /etc/systemd/system/service-management.service /etc/systemd/system/service-console.service',
    /^$/,
  ],
  [
    'systemd-analyze security --offline=yes /etc/systemd/system/service-management.service | tail -n 1',
    /: 1\.4 OK/,
  ],
  // A second run changes nothing.
  [
    '/opt/service-management-0.1.0/operations/install.sh',
    /^in place \/opt\/service-management-0\.1\.0\n$/,
  ],
];

interface Result {
  readonly code: number;
  readonly output: string;
}

/** Each block of commands in the chapter, and its documented output. */
const [chapter = ''] = sectionOf(PAGE, CHAPTER).split(/^#+ /m);
const STEPS = [...chapter.matchAll(/```sh\n([\s\S]*?)```(?:\s*```text\n([\s\S]*?)```)?/g)].map(
  ([, commands = '', output = '']) => ({ lines: commands.trimEnd().split('\n'), output }),
);

it.runIf(canTry)(
  'The first chapter of the operations page prints what it shows, and ends with a service that works as promised',
  async () => {
    const [folder, work] = [await openFolder(), await openFolder()];
    onTestFinished(() => Promise.all([folder.remove(), work.remove()]).then(() => {}));
    for (const path of [inject('withNode'), join(inject('release'), 'SHA256SUMS')]) {
      await copyFile(path, join(folder.path, basename(path)));
    }
    const asked = QUESTIONS.map(([command]) => command);
    const lines = [...STEPS.flatMap((step) => step.lines), ...asked].map((line) =>
      line.replace('https://id.example.com/oidc/userinfo', 'http://127.0.0.1:9100/userinfo'),
    );
    const args = [...OWN, process.execPath, MACHINE, work.path, folder.path, JSON.stringify(lines)];
    const { stdout } = await promisify(execFile)('unshare', args);
    const results: Result[] = JSON.parse(stdout);
    for (const { lines, output } of STEPS) {
      const done = results.splice(0, lines.length);
      expect(done.filter(({ code }) => code !== 0)).toEqual([]);
      const printed = done.map((result) => result.output).join('');
      expect(timeless(printed), lines.join('\n')).toBe(timeless(output));
    }
    for (const [index, [command, answer]] of QUESTIONS.entries()) {
      expect(results[index]?.output, command).toMatch(answer);
    }
  },
);

function timeless(text: string): string {
  return text.replaceAll(/"time":"[^"]*"/g, '"time":"…"');
}
