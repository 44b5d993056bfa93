// Plots as SVG. The figures stand in a table beside each one, so the picture
// itself is hidden from readers of the text.

import { HOUR_MS } from '../../core/domain/hour.js';
import type { TotalsSample } from './watch.js';

const LINE = { width: 640, height: 160, margin: 6 };
const HOUR = { width: 360, height: 90, gap: 1 };
/** A count above 0 is never invisible. */
const LEAST_HEIGHT = 2;
const POINTS_MAX = 240;

/** A bar whose length is a share of the largest. */
export function Bar({ value, max }: { readonly value: number; readonly max: number }) {
  const width = max === 0 ? 0 : (100 * value) / max;
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect width={value > 0 ? Math.max(width, 1) : 0} height="10" rx="1" />
    </svg>
  );
}

/** A time of the last hour and its value; infinite where it is above all that is measured. */
export interface HourBar {
  /** Milliseconds since 1970, UTC. */
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

interface HourBarsProps {
  readonly kind: 'calls' | 'errors' | 'times';
  readonly bars: readonly HourBar[];
  /** The right end; the left one is an hour before. */
  readonly until: number;
}

export function HourBars({ kind, bars, until }: HourBarsProps) {
  const { width, height, gap } = HOUR;
  const finite = bars.map(({ value }) => value).filter(Number.isFinite);
  const top = Math.max(...finite, Number.MIN_VALUE) * (finite.length < bars.length ? 2 : 1);
  const x = (at: number) => Math.max(0, width * (1 - (until - at) / HOUR_MS));
  return (
    <svg class={`plot ${kind}`} viewBox={`0 0 ${width} ${height + 1}`} aria-hidden="true">
      {bars.map(({ from, to, value }) => {
        const tall =
          value === 0 ? 0 : Math.max((height * Math.min(value, top)) / top, LEAST_HEIGHT);
        const [left, right] = [x(from), x(to)];
        const wide = Math.max(right - left - gap, 1);
        return (
          <rect
            x={left.toFixed(1)}
            y={(height - tall).toFixed(1)}
            width={wide.toFixed(1)}
            height={tall.toFixed(1)}
          />
        );
      })}
      <line x1="0" y1={height + 0.5} x2={width} y2={height + 0.5} />
    </svg>
  );
}

/** The records of each sample, which differ; time goes to the right. */
export function TotalsLine({ samples }: { readonly samples: readonly TotalsSample[] }) {
  const { width, height, margin } = LINE;
  const step = Math.ceil(samples.length / POINTS_MAX);
  const shown = samples.filter((_, index) => index % step === 0 || index === samples.length - 1);
  const times = shown.map(({ at }) => at);
  const counts = shown.map(({ records }) => records);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  const points = shown.map(({ at, records }) => {
    const x = margin + ((at - from) / Math.max(to - from, 1)) * (width - 2 * margin);
    const share = (records - low) / (high - low);
    return `${x.toFixed(1)},${(height - margin - share * (height - 2 * margin)).toFixed(1)}`;
  });
  return (
    <svg class="plot" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <polyline points={points.join(' ')} />
      <circle cx={points.at(-1)?.split(',')[0]} cy={points.at(-1)?.split(',')[1]} r="4" />
    </svg>
  );
}
