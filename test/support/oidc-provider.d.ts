// What the tests use of `oidc-provider`, which has no types of its own.

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Account {
    readonly accountId: string;
    claims(): Promise<{ sub: string } & Record<string, unknown>>;
  }

  export interface Configuration {
    readonly clients: readonly Record<string, unknown>[];
    readonly features?: Readonly<Record<string, { enabled: boolean }>>;
    readonly scopes?: readonly string[];
    readonly clientBasedCORS?: () => boolean;
    readonly cookies?: { readonly keys: readonly string[] };
    readonly ttl?: {
      AccessToken(context: unknown, token: unknown, client: { readonly clientId: string }): number;
    };
    findAccount?(context: unknown, id: string): Promise<Account | undefined>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }
}
