// The last hour: requests and errors of each minute as a plot, with the highest figures in words.

import { HOUR_MS } from '../../core/domain/hour.js';
import type { Status } from '../../hosts/operations/status.js';
import { clockText, counted, numberText, roundedText } from './formats.js';

type Minute = Status['last_hour'][number];

const WIDTH = 720;
const HEIGHT = 90;
const GAP = 1;
/** A count above 0 is always visible. */
const LEAST_HEIGHT = 2;

/** `minutes`: oldest first; the last one isn't over. */
export function LastHour({ minutes }: { readonly minutes: readonly Minute[] }) {
  const sum = (of: (minute: Minute) => number) =>
    minutes.reduce((total, minute) => total + of(minute), 0);
  const [requests, failed] = [sum((minute) => minute.requests), sum((minute) => minute.failed)];
  const highest = (name: string, of: (minute: Minute) => number, unit = '') => {
    const [minute] = minutes.toSorted((a, b) => of(b) - of(a));
    if (minute === undefined || of(minute) === 0) return '';
    const at = clockText(Date.parse(minute.from));
    return ` ${name} at most ${roundedText(of(minute))}${unit}, at ${at}.`;
  };
  return (
    <section>
      <h2>Last hour</h2>
      <p>
        {`${counted(requests, 'request')}, of which ${numberText(failed)} failed (status 500 or above).`}
        {highest('Requests a minute', (minute) => minute.requests)}
        {highest('p95', (minute) => (minute.p95_seconds ?? 0) * 1000, ' ms')}
        {highest('Errors a minute', (minute) => minute.failed)}
      </p>
      <Plot minutes={minutes} />
      <p class="axis caption" aria-hidden="true">
        <span>an hour ago</span>
        <span>requests a minute</span>
        <span>now</span>
      </p>
    </section>
  );
}

/** Hidden from screen readers, since the text has the figures. */
function Plot({ minutes }: { readonly minutes: readonly Minute[] }) {
  const now = Date.now();
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
  const box = `0 0 ${WIDTH} ${HEIGHT}`;
  return (
    <svg class="plot" viewBox={box} preserveAspectRatio="none" aria-hidden="true">
      {minutes.map((minute) => bar(minute, minute.requests))}
      {minutes.map((minute) => bar(minute, minute.failed, 'errors'))}
    </svg>
  );
}
