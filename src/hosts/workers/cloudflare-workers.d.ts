// The one module of the Workers runtime that is imported; its types without
// their globals, which would contradict those of the other hosts.

declare module 'cloudflare:workers' {
  import type { CloudflareWorkersModule } from '@cloudflare/workers-types';

  export type { CloudflareWorkersModule };
  export const DurableObject: typeof CloudflareWorkersModule.DurableObject;
}
