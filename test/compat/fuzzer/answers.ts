// What Schemathesis' report of events says of a run: how many operations answered 2xx,
// so that the credentials reached them.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The part that is read of an event; the report has one event in each line. */
interface Event {
  readonly ScenarioFinished?: {
    readonly phase: string;
    readonly recorder: {
      /** The operation, such as `GET /customers`, in every phase but the stateful one. */
      readonly label: string;
      readonly interactions?: Readonly<
        Record<string, { readonly response?: { readonly status_code: number } }>
      >;
    };
  };
}

/** Operations that answered 2xx at least once outside the stateful phase. Reads line by line: a long run's report is larger than one string may be. */
export async function answersIn(path: string): Promise<ReadonlySet<string>> {
  const operations = new Set<string>();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const { phase, recorder } = (JSON.parse(line) as Event).ScenarioFinished ?? {};
    if (recorder === undefined || phase === 'stateful') continue;
    for (const { response } of Object.values(recorder.interactions ?? {})) {
      const { status_code: status = 0 } = response ?? {};
      if (status >= 200 && status < 300) operations.add(recorder.label);
    }
  }
  return operations;
}

/** How many operations an OpenAPI document has. */
export function promisedBy(document: unknown): number {
  const { paths } = document as { paths: Readonly<Record<string, Record<string, object>>> };
  const items = Object.values(paths).flatMap((path) => Object.values(path));
  return items.filter((item) => 'responses' in item).length;
}
