// The provider's discovery document (OpenID Connect Discovery 1.0, section 4):
// where its user information and its keys are.

import { isJsonObject } from '../domain/json.js';
import { CachedDocument, type CachedDocumentOptions, DocumentError } from './cached-document.js';

export interface ProviderMetadata {
  readonly userinfoEndpoint: string | undefined;
  readonly jwksUri: string | undefined;
}

export type DocumentSource = Pick<CachedDocumentOptions<unknown>, 'fetch' | 'clock' | 'joined'>;

export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

export function discovery(
  issuer: string,
  source: DocumentSource,
): CachedDocument<ProviderMetadata> {
  return new CachedDocument({
    ...source,
    name: 'the discovery document',
    url: async () => discoveryUrl(issuer),
    read: (json) => metadataOf(json, issuer),
  });
}

function metadataOf(json: unknown, issuer: string): ProviderMetadata {
  if (!isJsonObject(json) || typeof json['issuer'] !== 'string') {
    throw new DocumentError('the discovery document is no JSON with an issuer in it');
  }
  // "MUST exactly match": else one provider could speak for another.
  if (json['issuer'] !== issuer) {
    throw new DocumentError(
      `the discovery document names another issuer: ${JSON.stringify(json['issuer'].slice(0, 200))}`,
    );
  }
  return {
    userinfoEndpoint: safeUrl(json['userinfo_endpoint'], issuer),
    jwksUri: safeUrl(json['jwks_uri'], issuer),
  };
}

/** A token never goes over a plain connection, whatever the document says; on loopback the issuer itself is plain. */
function safeUrl(value: unknown, issuer: string): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol === 'https:') return url.href;
  const isPlainToo = url.protocol === 'http:' && new URL(issuer).protocol === 'http:';
  return isPlainToo && url.hostname === new URL(issuer).hostname ? url.href : undefined;
}
