// What Schemathesis' report of events says of a run: how many operations answered 2xx,
// so that the credentials reached them, and which links the stateful phase followed.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** The part that is read of an event; the report has one event in each line. */
interface Event {
  readonly ScenarioFinished?: {
    readonly phase: string;
    readonly recorder: {
      /** The operation, such as `GET /customers`, in every phase but the stateful one. */
      readonly label: string;
      readonly cases?: Readonly<Record<string, Case>>;
      readonly interactions?: Readonly<
        Record<string, { readonly response?: { readonly status_code: number } }>
      >;
    };
  };
}

interface Case {
  readonly transition?: { readonly id: string; readonly is_inferred: boolean };
  readonly is_transition_applied: boolean;
}

export interface Answers {
  /** Requests by phase and by the first digit of the answer, such as `fuzzing 2xx`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Operations that answered 2xx at least once outside the stateful phase. */
  readonly operations: ReadonlySet<string>;
  /** Links of the document that led to a 2xx answer. */
  readonly links: ReadonlySet<string>;
}

/** Reads the report line by line: a long run's is larger than one string may be. */
export async function answersIn(path: string): Promise<Answers> {
  const counts = new Map<string, number>();
  const operations = new Set<string>();
  const links = new Set<string>();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const scenario = (JSON.parse(line) as Event).ScenarioFinished;
    if (scenario === undefined) continue;
    const { cases = {}, interactions = {}, label } = scenario.recorder;
    for (const [id, { response }] of Object.entries(interactions)) {
      const status = response?.status_code;
      const kind = `${scenario.phase} ${status === undefined ? 'none' : `${String(status)[0]}xx`}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (status === undefined || status < 200 || status > 299) continue;
      if (scenario.phase !== 'stateful') operations.add(label);
      const step = cases[id];
      if (step?.transition?.is_inferred === false && step.is_transition_applied) {
        links.add(step.transition.id);
      }
    }
  }
  return { counts, operations, links };
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly links?: object }>>;
}

/** How many operations and links an OpenAPI document has. */
export function promisedBy(document: unknown): { operations: number; links: number } {
  const { paths } = document as { paths: Readonly<Record<string, Record<string, Operation>>> };
  const operations = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter(({ responses }) => responses !== undefined);
  const answers = operations.flatMap(({ responses }) => Object.values(responses));
  const links = answers.map((answer) => Object.keys(answer.links ?? {}).length);
  return { operations: operations.length, links: links.reduce((sum, count) => sum + count, 0) };
}
