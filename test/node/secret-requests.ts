// Requests with secrets in them. Most of them fail, each in another way.

/** A part of every secret, and of no text of the service. */
export const CANARY = 'canary7f3a';
export const KEY = `${CANARY}-the-key-of-the-operator-0123456789`;
export const OWNER = 'owner';
export const TENANT = `/admin/accounts/${OWNER}`;

export type Attempt = {
  who: 'account' | 'operator' | 'nobody';
  method: string;
  path: string;
  body?: string;
  headers?: Record<string, string>;
  status: number;
};

/** `plain` is a record that may be changed, `kept` one that the database does not let go. */
export function attempts([plain, kept]: string[]): Attempt[] {
  const value = JSON.stringify(CANARY);
  const good = `{"name":${value},"phone":${value}}`;
  const refused = `{"name":${value},"phone":${value},"note":"refuse-record"}`;
  const tokens = [
    'status-400',
    'status-401',
    'status-403',
    'status-404',
    'status-429',
    'status-500',
    'status-302',
    'html',
  ];
  const bad = (token: string) => ({ Authorization: `Bearer ${token}-${CANARY}` });
  const both: Attempt[] = (['account', 'operator'] as const).flatMap((who) => {
    const base = who === 'operator' ? TENANT : '';
    const all: Omit<Attempt, 'who'>[] = [
      { method: 'POST', path: `${base}/customers`, body: `{"name":${value}}`, status: 422 },
      {
        method: 'POST',
        path: `${base}/customers`,
        body: `{"name":[${value}],"phone":{"a":${value}}}`,
        status: 422,
      },
      {
        method: 'POST',
        path: `${base}/orders`,
        body: `{"customer":${value},"service":"","amount":${value}}`,
        status: 422,
      },
      { method: 'POST', path: `${base}/customers`, body: `[${value}]`, status: 400 },
      {
        method: 'POST',
        path: `${base}/customers`,
        body: `{"a":1e999,"name":${value}}`,
        status: 400,
      },
      { method: 'POST', path: `${base}/customers`, body: `{"name":${value}`, status: 400 },
      { method: 'POST', path: `${base}/customers`, body: `{"name":"${CANARY}\0"}`, status: 400 },
      { method: 'POST', path: `${base}/customers`, body: refused, status: 500 },
      { method: 'PATCH', path: `${base}/customers/${plain}`, body: refused, status: 500 },
      { method: 'PATCH', path: `${base}/customers/${plain}`, body: '{"name":""}', status: 422 },
      { method: 'PATCH', path: `${base}/customers/${plain}`, body: good, status: 200 },
      { method: 'PATCH', path: `${base}/customers/CUS-9999`, body: good, status: 404 },
      { method: 'DELETE', path: `${base}/customers/${kept}`, status: 500 },
      { method: 'PUT', path: `${base}/customers/${plain}`, body: good, status: 405 },
      { method: 'GET', path: `${base}/customers?q=${CANARY}`, status: 200 },
    ];
    return all.map((attempt) => ({ who, ...attempt }));
  });
  return [
    ...both,
    ...tokens.map(
      (token) =>
        ({
          who: 'nobody',
          method: 'GET',
          path: '/customers',
          headers: bad(token),
          status: /40[013]/.test(token) ? 401 : 503,
        }) as Attempt,
    ),
    {
      who: 'nobody',
      method: 'GET',
      path: '/customers',
      headers: { Authorization: `Basic ${CANARY}` },
      status: 401,
    },
    {
      who: 'nobody',
      method: 'GET',
      path: '/customers',
      headers: { Authorization: `Bearer ${CANARY} ${CANARY}` },
      status: 401,
    },
    {
      who: 'nobody',
      method: 'GET',
      path: '/admin/overview',
      headers: { 'X-Service-Admin-Key': `${KEY}x` },
      status: 401,
    },
    {
      who: 'nobody',
      method: 'GET',
      path: '/admin/overview',
      headers: { 'X-Service-Admin-Key': KEY.slice(0, -1) },
      status: 401,
    },
    { who: 'account', method: 'GET', path: '/admin/overview', status: 401 },
    { who: 'operator', method: 'GET', path: '/customers', status: 401 },
    // The audit event names the account and cannot be written. The change itself is stored.
    {
      who: 'operator',
      method: 'POST',
      path: '/admin/accounts/refuse-event/customers',
      body: good,
      status: 201,
    },
  ];
}
