// What the tests use of `oidc-provider`, which has no types of its own.

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Saved {
    save(): Promise<string>;
  }

  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        readonly clients: readonly Record<string, unknown>[];
        readonly features: Readonly<Record<string, { enabled: boolean }>>;
        readonly scopes: readonly string[];
        readonly cookies: { readonly keys: readonly string[] };
        clientBasedCORS(): boolean;
        findAccount(context: unknown, id: string): Promise<object | undefined>;
      },
    );
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    readonly Client: { find(id: string): Promise<unknown> };
    readonly Grant: new (
      of: object,
    ) => Saved & {
      addOIDCScope(scope: string): void;
    };
    readonly AccessToken: new (
      of: object,
    ) => Saved;
  }
}
