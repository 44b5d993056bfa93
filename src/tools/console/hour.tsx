// The last hour: requests and errors as a plot, and with p95 in figures.

import { HOUR_MS } from '../../core/domain/hour.js';
import type { Status } from '../../hosts/operations/status.js';
import { Table, type View } from './layout.js';

type Minute = Status['last_hour'][number];

const WIDTH = 720;
const HEIGHT = 90;
const GAP = 1;
/** A count above 0 is never invisible. */
const LEAST_HEIGHT = 2;

interface HourProps {
  readonly view: View;
  /** Oldest first; the last one is under way. */
  readonly minutes: readonly Minute[];
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
}

export function LastHour({ view, minutes, now }: HourProps) {
  const { formats } = view;
  const sum = (of: (minute: Minute) => number) =>
    formats.number(minutes.reduce((total, minute) => total + of(minute), 0));
  const row = (name: string, of: (minute: Minute) => number | undefined, unit = '') => {
    const text = (minute: Minute | undefined) => {
      const value = minute && of(minute);
      return value === undefined ? '–' : formats.rounded(value) + unit;
    };
    const [highest] = minutes.toSorted((a, b) => (of(b) ?? -1) - (of(a) ?? -1));
    const at = highest && of(highest) ? formats.clock(Date.parse(highest.from)) : '–';
    // The minute under way says little while it is short.
    return [name, text(minutes.at(-2) ?? minutes.at(-1)), text(highest), at];
  };
  const failed = sum((minute) => minute.failed);
  return (
    <section>
      <h2>Last hour</h2>
      <p class="caption">
        {`${sum((minute) => minute.requests)} requests, of which ${failed} failed (status 500 or above).`}
      </p>
      <Plot minutes={minutes} now={now} />
      <p class="axis caption" aria-hidden="true">
        <span>an hour ago</span>
        <span>requests a minute</span>
        <span>now</span>
      </p>
      <Table
        label="Last hour"
        columns={['A minute', 'Latest', 'Highest', 'At']}
        numbers={3}
        rows={[
          row('Requests', (minute) => minute.requests),
          row('Errors', (minute) => minute.failed),
          row('p95', ({ p95_seconds: p95 }) => (p95 === null ? undefined : p95 * 1000), ' ms'),
        ]}
      />
    </section>
  );
}

/** Hidden from readers of the text: the figures are in the table. */
function Plot({ minutes, now }: Omit<HourProps, 'view'>) {
  const most = Math.max(...minutes.map(({ requests }) => requests), 1);
  const x = (at: string) => Math.max(0, WIDTH * (1 - (now - Date.parse(at)) / HOUR_MS));
  const bar = ({ from, to }: Minute, count: number, kind?: string) => {
    const height = Math.max((HEIGHT * count) / most, LEAST_HEIGHT);
    const width = Math.max(x(to) - x(from) - GAP, GAP);
    const [left, top, wide, high] = [x(from), HEIGHT - height, width, height].map((value) =>
      value.toFixed(1),
    );
    return count > 0 && <rect class={kind} x={left} y={top} width={wide} height={high} />;
  };
  return (
    <svg
      class="plot"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {minutes.map((minute) => bar(minute, minute.requests))}
      {minutes.map((minute) => bar(minute, minute.failed, 'errors'))}
    </svg>
  );
}
