// The Containerfile's steps, done without a container daemon: the entry point runs as its user on a
// read-only root. Each other file is read by a program that knows its format.

import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, it } from 'vitest';
import { privateMounts } from '../support/private-mounts.js';
import { testFolder } from '../support/test-folder.js';

const run = promisify(execFile);
const canTry = process.getuid?.() === 0 && privateMounts() !== undefined;
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
/** The user `node` of Node's images. */
const USER_OF_IMAGE = '1000';

const folder = testFolder(beforeAll);
/** The unpacked release: what the build gets as its context. */
let release: string;
let containerfile: string;

beforeAll(async () => {
  await run('tar', ['xzf', inject('plain'), '-C', folder.path, '--strip-components=1']);
  release = folder.path;
  containerfile = await readFile(join(release, 'operations/Containerfile'), 'utf8');
});

/** The instructions with this name, in order. */
function instructions(name: string): string[] {
  const lines = containerfile.replaceAll('\\\n', ' ').split('\n');
  return lines
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1));
}

it.runIf(canTry)('The image starts, is ready, keeps its root, and exits with 0', async () => {
  const image = join(folder.path, 'image');
  await mkdir(join(image, 'app'), { recursive: true });
  for (const copied of instructions('COPY')) {
    const names = copied.split(' ');
    const to = names.pop() ?? '';
    for (const name of names) {
      const target = to.endsWith('/') ? join(image, 'app', to, name) : join(image, 'app', to);
      await cp(join(release, name), target, { recursive: true });
    }
  }
  const first = (name: string) => JSON.parse(instructions(name)[0] ?? '[]')[0];
  const [entry, command] = [first('ENTRYPOINT'), first('CMD')];
  const health = /CMD (\[.*\])/.exec(instructions('HEALTHCHECK')[0] ?? '')?.[1] ?? '[]';
  const made = /(?:\/\w+ ?)+$/.exec(instructions('RUN')[0] ?? '')?.[0] ?? '';
  const script = join(folder.path, 'run.sh');
  const environment = instructions('ENV').join(' ');
  await writeFile(
    script,
    `set -eu
root=${image}
ip link set lo up
mount --bind $root $root
for path in /usr /bin /lib /lib64 /proc /dev; do
  [ -e $path ] || continue
  mkdir $root$path && mount --rbind $path $root$path
done
mkdir $root/node $root/tmp && touch $root/node/node && mount --bind ${process.execPath} $root/node/node
mkdir $root/data $root/backups && mount -t tmpfs d $root/data && mount -t tmpfs b $root/backups && mount -t tmpfs t $root/tmp
for path in ${made}; do install -d -m 700 -o ${USER_OF_IMAGE} -g ${USER_OF_IMAGE} $root$path; done
mount -o remount,ro,bind $root
inside="chroot --userspec=${USER_OF_IMAGE}:${USER_OF_IMAGE} $root env -i PATH=/node:/usr/bin:/bin ${environment} BACKUP_DIR=/backups/daily"
$inside ${entry} ${command} >/dev/null 2>&1 &
service=$!
$inside ${JSON.parse(health).join(' ')} --wait 60
$inside /usr/bin/touch /app/x 2>&1 | grep -c 'Read-only'
curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8080/api/v1/health
until ls $root/backups/daily/*.db >/dev/null 2>&1; do sleep 0.1; done
kill -TERM $service
wait $service && echo 'stopped with 0'
ls $root/backups/daily/*.db | wc -l
stat -c '%u %a' $root/data/service.db
`,
  );
  const own = ['--mount', '--net', '--pid', '--fork', '--kill-child'];
  const { stdout } = await run('unshare', [...own, 'sh', script]);
  expect(stdout).toMatch(/^ready[\s\S]*\n1\n200\nstopped with 0\n1\n1000 600\n$/);
});

it.runIf(has('docker-compose'))('The Compose file is valid', async () => {
  await writeFile(join(release, 'operations/admin-key'), 'k'.repeat(40));
  const file = join(release, 'operations/compose.yml');
  const args = ['-f', file, '--profile', 'console', 'config', '--services'];
  const { stdout } = await run('docker-compose', args);
  expect(stdout.trim().split('\n').sort()).toEqual(['console', 'prometheus', 'proxy', 'service']);
});

it.runIf(has('kubernetes-validate'))('The Kubernetes file is valid', async () => {
  const args = ['--strict', join(release, 'operations/kubernetes.yml')];
  const { stdout, stderr } = await run('kubernetes-validate', args);
  expect(`${stdout}${stderr}`.match(/ passed for resource /g)).toHaveLength(4);
});
