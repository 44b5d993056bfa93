// A provider on loopback that signs its tokens and serves discovery, keys and user information.

import { createServer, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listenLocally } from '../support/listen.js';

export type SigningProvider = Awaited<ReturnType<typeof openSigningProvider>>;
type Members = Readonly<Record<string, unknown>>;

/** `algorithm` is that of its keys, such as `RS256`. */
export async function openSigningProvider(algorithm = 'ES256') {
  const newKey = async (kid: string) => {
    const { privateKey, publicKey } = await generateKeyPair(algorithm);
    return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
  };
  let key = await newKey('first');
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    provider.paths.push(path);
    const endpoints = { jwks_uri: `${issuer}/keys`, userinfo_endpoint: `${issuer}/me` };
    const answers: Members = {
      '/.well-known/openid-configuration': { issuer, ...endpoints, ...provider.metadata },
      '/keys': { keys: [key.jwk] },
      '/me': { sub: 'asha' },
    };
    const status = provider.broken.get(path) ?? (answers[path] === undefined ? 404 : 200);
    if (typeof status === 'function') return status(response);
    response.writeHead(status, { 'Content-Type': 'application/json', ...provider.headers });
    response.end(JSON.stringify(answers[path] ?? null));
  });
  const { origin: issuer, close } = await listenLocally(server);
  const provider = {
    issuer,
    /** The paths of the requests in order, such as `/keys`. */
    paths: [] as string[],
    /** By path: a status to return instead of the usual response, or what to do. */
    broken: new Map<string, number | ((response: ServerResponse) => void)>(),
    /** Of every answer. */
    headers: {} as Readonly<Record<string, string>>,
    /** Members that replace those of the discovery document. */
    metadata: {} as Members,
    /** Milliseconds since 1970, UTC, at which tokens are signed. */
    now: 1_800_000_000_000,
    /** A token of `asha` for `shop`, valid for 5 minutes. The given claims and header replace its own. */
    async token(claims: Members = {}, header: Members = {}): Promise<string> {
      const exp = Math.floor(provider.now / 1000) + 300;
      return new SignJWT({ iss: issuer, aud: 'shop', sub: 'asha', exp, ...claims })
        .setProtectedHeader({ alg: algorithm, kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    /** From now on, signs with a new key. The older keys are withdrawn. */
    async rotate(): Promise<void> {
      key = await newKey(`key-${provider.paths.length}`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return provider;
}
