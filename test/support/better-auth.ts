// Requests of an app to better-auth: its sessions are the tokens.

export const PASSWORD = 'a-password-of-the-tests';

/** Opens an account, with a session. */
export async function signUp(origin: string) {
  const email = `${crypto.randomUUID()}@shop.example`;
  const user = { email, password: PASSWORD, name: 'Asha' };
  const answer = await post(origin, 'sign-up/email', user);
  const token = answer.headers.get('set-auth-token');
  if (token === null) throw new Error('the bearer plugin gave no token');
  const { id } = ((await answer.json()) as { user: { id: string } }).user;
  return { email, token, id };
}

export async function post(origin: string, path: string, body: object, token?: string) {
  const response = await fetch(`${origin}/api/auth/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin,
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) {
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  return response;
}
