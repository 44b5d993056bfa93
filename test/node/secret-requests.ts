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
  const rows: [method: string, path: string, status: number, body?: string][] = [
    ['POST', 'customers', 422, `{"name":${value}}`],
    ['POST', 'customers', 422, `{"name":[${value}],"phone":{"a":${value}}}`],
    ['POST', 'orders', 422, `{"customer":${value},"service":"","amount":${value}}`],
    ['POST', 'customers', 400, `[${value}]`],
    ['POST', 'customers', 400, `{"a":1e999,"name":${value}}`],
    ['POST', 'customers', 400, `{"name":${value}`],
    ['POST', 'customers', 400, `{"name":"${CANARY}\0"}`],
    ['POST', 'customers', 500, refused],
    ['PATCH', `customers/${plain}`, 500, refused],
    ['PATCH', `customers/${plain}`, 422, '{"name":""}'],
    ['PATCH', `customers/${plain}`, 200, good],
    ['PATCH', 'customers/CUS-9999', 404, good],
    ['DELETE', `customers/${kept}`, 500],
    ['PUT', `customers/${plain}`, 405, good],
    ['GET', `customers?q=${CANARY}`, 200],
  ];
  const both = (['account', 'operator'] as const).flatMap((who) =>
    rows.map(([method, path, status, body]): Attempt => {
      const base = who === 'operator' ? `${TENANT}/` : '/';
      return { who, method, path: base + path, status, ...(body && { body }) };
    }),
  );
  const get = (path: string, status: number, headers?: Record<string, string>): Attempt => ({
    who: 'nobody',
    method: 'GET',
    path,
    status,
    ...(headers && { headers }),
  });
  const withToken = (Authorization: string, status: number) =>
    get('/customers', status, { Authorization });
  const withKey = (key: string) => get('/admin/overview', 401, { 'X-Service-Admin-Key': key });
  return [
    ...both,
    ...['400', '401', '403'].map((code) => withToken(`Bearer status-${code}-${CANARY}`, 401)),
    ...['status-404', 'status-429', 'status-500', 'status-302', 'html'].map((answer) =>
      withToken(`Bearer ${answer}-${CANARY}`, 503),
    ),
    withToken(`Basic ${CANARY}`, 401),
    withToken(`Bearer ${CANARY} ${CANARY}`, 401),
    withKey(`${KEY}x`),
    withKey(KEY.slice(0, -1)),
    { ...get('/admin/overview', 401), who: 'account' },
    { ...get('/customers', 401), who: 'operator' },
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
