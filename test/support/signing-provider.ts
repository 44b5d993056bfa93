// A provider on loopback that signs its tokens. It serves discovery, keys and user
// information, and counts the requests for each.

import { createServer, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { onLoopback } from './loopback.js';

export interface SigningProvider {
  readonly issuer: string;
  /** The paths of the requests in order, such as `/keys`. */
  readonly asked: readonly string[];
  /** By path: a status that the endpoint answers instead of its usual answer, or what it does. */
  readonly broken: Map<string, number | ((response: ServerResponse) => void)>;
  /** Headers of every answer. */
  headers: Readonly<Record<string, string>>;
  /** Members that replace those of the discovery document. */
  metadata: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970, UTC, at which tokens are signed. */
  now: number;
  /** A token of `asha` for `shop`, valid for 5 minutes. The given claims and header replace its own. */
  token(
    claims?: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<string>;
  /** From now on signs with a new key. The older keys are withdrawn. */
  rotate(kid?: string): Promise<void>;
  /** How many connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: object;
}

/** `algorithm` is that of its keys, such as `RS256`. */
export async function openSigningProvider(algorithm = 'ES256'): Promise<SigningProvider> {
  const asked: string[] = [];
  const broken: SigningProvider['broken'] = new Map();
  let key = await newKey('first', algorithm);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answers: Readonly<Record<string, unknown>> = {
      '/.well-known/openid-configuration': {
        issuer,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/me`,
        ...provider.metadata,
      },
      '/keys': { keys: [key.jwk] },
      '/me': { sub: 'asha' },
    };
    const status = broken.get(path) ?? (answers[path] === undefined ? 404 : 200);
    if (typeof status === 'function') {
      status(response);
      return;
    }
    response.writeHead(status, { 'Content-Type': 'application/json', ...provider.headers });
    response.end(JSON.stringify(answers[path] ?? null));
  });
  const { origin: issuer, close } = await onLoopback(server);
  const provider: SigningProvider = {
    issuer,
    asked,
    broken,
    headers: {},
    metadata: {},
    now: 1_800_000_000_000,
    async token(claims = {}, header = {}) {
      const seconds = Math.floor(provider.now / 1000);
      const all = { iss: issuer, aud: 'shop', sub: 'asha', exp: seconds + 300, ...claims };
      return new SignJWT(all)
        .setProtectedHeader({ alg: algorithm, kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    async rotate(kid = `key-${asked.length}`) {
      key = await newKey(kid, algorithm);
    },
    connections: promisify(server.getConnections.bind(server)),
    close,
  };
  return provider;
}

async function newKey(kid: string, algorithm: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}
