// The trial `secrets`: makes requests fail in every way and looks for tokens, keys and
// values of records in every log line, error and audit row.

import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { answersIn, openRaw, overWithin, requestText } from './http/raw-connection.js';
import { plantedServer, plantTriggers } from './planted-triggers.js';
import type { Attempt } from './secrets/attempts.js';
import { attempts, CANARY, KEY, OWNER, TENANT } from './secrets/attempts.js';
import { keyTimingFinding } from './secrets/key-timing.js';
import { auditFinding, settingsFinding } from './secrets/settings.js';
import { openIdentityProvider } from './service/identity-provider.js';
import type { Service } from './service/probed-service.js';
import { startService } from './service/probed-service.js';
import type { Finding, Trial } from './trial.js';

const API = '/api/v1';

/** Triggers that refuse a record by its value, as a failing disk does. The failing statement holds the value. */
const FAILURES = [
  `create trigger refuse_record before insert on records when new.body like '%refuse-record%'
   begin select raise(abort, 'injected'); end`,
  `create trigger refuse_removal before delete on records when old.body like '%refuse-removal%'
   begin select raise(abort, 'injected'); end`,
  `create trigger refuse_event before insert on audit_events when new.event like '%refuse-event%'
   begin select raise(abort, 'injected'); end`,
];

export const secrets: Trial = async ({ quick, folder, say }) => {
  say('every failing path');
  const findings = [await leakFinding(folder, quick ? 1 : 20), await settingsFinding(folder)];
  say('comparing the admin key');
  findings.push(await keyTimingFinding(quick ? 20_000 : 50_000));
  say('npm audit');
  return [...findings, auditFinding()];
};

export async function leakFinding(folder: string, rounds: number): Promise<Finding> {
  const identity = await openIdentityProvider(echoing);
  const file = join(folder, 'secrets.db');
  const environment = {
    DATABASE_URL: `file:${file}`,
    AUTH_USERINFO_URL: `${identity.url}?key=${CANARY}`,
    AUTH_USERINFO_HEADERS: JSON.stringify({ apikey: CANARY }),
    ADMIN_API_KEY: KEY,
  };
  await (await startService(environment)).stop();
  plantTriggers(file, ...FAILURES);
  const service = await startService(environment, plantedServer());
  const seen = { answers: 0, errors: 0, rows: 0, leaks: [] as string[] };
  const wrong = [];
  for (let round = 0; round < rounds; round++) {
    const made = await create(service);
    for (const attempt of attempts(made)) {
      const { status, text, headers } = await send(service, attempt);
      const what = `${attempt.method} ${attempt.path.slice(0, 60)}`;
      seen.answers++;
      if (status !== attempt.status) wrong.push(`${what}: ${status}, not ${attempt.status}`);
      if (status < 400) continue;
      seen.errors++;
      if (`${text}${headers}`.includes(CANARY)) seen.leaks.push(`the answer to ${what}`);
    }
    await broken(service, seen);
  }
  const audit = await (
    await fetch(`${service.origin}${API}/admin/audit?page_size=200`, {
      headers: credentials('operator'),
    })
  ).text();
  seen.rows = JSON.parse(audit).meta.pagination.total;
  if (audit.includes(CANARY)) seen.leaks.push('the audit log');
  await identity.close();
  await send(service, { who: 'account', method: 'GET', path: '/customers', status: 503 });
  await service.stop();
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line !== '');
  seen.leaks.push(
    ...lines
      .filter((line) => line.includes(CANARY))
      .map((line) => `the log: ${line.slice(0, 200)}`),
  );
  return {
    fault: "tokens, keys and records' values searched for after every kind of failure",
    tried: `${seen.errors} errors among ${seen.answers} answers, ${lines.length} log lines, ${seen.rows} audit rows`,
    found: `${seen.leaks.length} leaks ${seen.leaks.slice(0, 3).join('; ')}${wrong.length > 0 ? `, unexpected answers: ${wrong.slice(0, 3).join('; ')}` : ''}`,
    holds: seen.leaks.length === 0 && wrong.length === 0 && seen.rows > 0 && lines.length > 5,
  };
}

/** Accepts a good token. Repeats every other token in each part of the answer. */
function echoing(token: string, response: ServerResponse) {
  const status = Number(/^status-(\d+)/.exec(token)?.[1] ?? 200);
  const body = {
    error: token,
    code: token,
    error_code: token,
    message: `the token ${token} is bad`,
    sub: status === 200 ? OWNER : token,
  };
  const headers = {
    'Content-Type': 'application/json',
    'WWW-Authenticate': `Bearer error="${token}"`,
    Location: `https://elsewhere.example/${token}`,
  };
  response
    .writeHead(status, headers)
    .end(token.startsWith('html') ? `<p>${token}` : JSON.stringify(body));
}

function credentials(who: Attempt['who']): Record<string, string> {
  if (who === 'operator') return { 'X-Service-Admin-Key': KEY };
  return who === 'account' ? { Authorization: `Bearer good-${CANARY}` } : {};
}

async function send({ origin }: Service, { who, method, path, body, headers = {} }: Attempt) {
  const response = await fetch(origin + API + path, {
    method,
    headers: { ...credentials(who), ...headers },
    ...(body !== undefined && { body }),
  });
  return {
    status: response.status,
    text: await response.text(),
    headers: JSON.stringify([...response.headers]),
  };
}

/** Creates the records that later requests fail on. */
async function create(service: Service) {
  const body = (note: string) =>
    JSON.stringify({ name: CANARY, phone: CANARY, note: `${note} ${CANARY}` });
  const made = [];
  for (const note of ['plain', 'refuse-removal']) {
    const { text } = await send(service, {
      who: 'operator',
      method: 'POST',
      path: `${TENANT}/customers`,
      body: body(note),
      status: 201,
    });
    made.push(String(JSON.parse(text).data.id));
  }
  return made;
}

/** Malformed requests with secrets in them, and clients that disconnect. */
async function broken(
  service: Service,
  seen: { answers: number; errors: number; leaks: string[] },
) {
  const headers = credentials('account');
  const body = `{"name":"${CANARY}"}`;
  const texts = [
    `${CANARY} nonsense\r\n\r\n`,
    requestText('GET', `${API}/customers`, { ...headers, [`${CANARY}\x01`]: CANARY }),
    requestText('GET', '*', headers),
    requestText('GET', `${API}/customers`, { ...headers, Cookie: CANARY.repeat(3_000) }),
    requestText('POST', `${API}/customers`, { ...headers, 'Content-Length': '100' }, body),
    requestText(
      'POST',
      `${API}/customers`,
      { ...headers, 'Transfer-Encoding': 'chunked' },
      `zz\r\n${body}`,
    ),
    requestText('CONNECT', `${CANARY}:1`, headers),
  ];
  for (const text of texts) {
    const connection = openRaw(service.origin, text);
    connection.socket.end();
    await overWithin(connection, 1_000);
    for (const { status, body: answered } of answersIn(connection.received())) {
      seen.answers++;
      if (status >= 400) seen.errors++;
      if (answered.includes(CANARY)) seen.leaks.push(`the answer to ${text.slice(0, 40)}`);
    }
  }
}
