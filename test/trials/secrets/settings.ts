// Messages about unusable settings, and known weaknesses of the deployed packages.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';
import { startService } from '../service/probed-service.js';
import type { Finding } from '../trial.js';
import { CANARY } from './attempts.js';

/** A message names an unusable setting and does not repeat its value. */
export async function settingsFinding(folder: string): Promise<Finding> {
  const settings: Record<string, string>[] = [
    { ADMIN_API_KEY: `${CANARY}\x01` },
    { AUTH_USERINFO_URL: `https://user:${CANARY}@id.example` },
    { AUTH_USERINFO_URL: `http://id.example/?key=${CANARY}` },
    { AUTH_USERINFO_URL: CANARY },
    { AUTH_USERINFO_HEADERS: CANARY },
    { AUTH_USERINFO_HEADERS: JSON.stringify({ apikey: [CANARY] }) },
    { DATABASE_URL: `libsql://db.example?authToken=${CANARY}` },
    { CORS_ALLOWED_ORIGINS: `https://user:${CANARY}@a.example` },
  ];
  const leaks = [];
  for (const setting of settings) {
    const environment = { DATABASE_URL: `file:${join(folder, 'settings.db')}`, ...setting };
    const output = await startService(environment).then(
      async (service) => {
        await service.stop();
        return `${CANARY} started`;
      },
      (error) => String(error),
    );
    if (output.includes(CANARY)) leaks.push(`${Object.keys(setting)}: ${output.slice(0, 200)}`);
  }
  return {
    fault: 'unusable settings with secrets in them',
    tried: `${settings.length} starts, each refused`,
    found: `${leaks.length} leaks ${leaks.slice(0, 2).join('; ')}`,
    holds: leaks.length === 0,
  };
}

export function auditFinding(): Finding {
  const { stdout } = spawnSync('npm', ['audit', '--json', '--omit=dev'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const fault = 'known weaknesses of the deployed packages (npm audit)';
  try {
    const { total } = JSON.parse(stdout).metadata.vulnerabilities;
    return { fault, tried: 'once', found: `${total} known`, holds: total === 0 };
  } catch {
    return {
      fault,
      tried: 'not tried',
      found: 'the registry in use here gives no audit',
      holds: undefined,
    };
  }
}
