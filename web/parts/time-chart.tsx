import { lazy, Suspense } from 'react';
import { Skeleton } from './skeleton.tsx';
import type { TimeChartProps } from './time-plot.tsx';

const Plot = lazy(async () => ({ default: (await import('./time-plot.tsx')).TimePlot }));

/** Values over time. Its library is loaded when the first chart is shown. */
export function TimeChart(props: TimeChartProps) {
  return (
    <Suspense fallback={<Skeleton width="100%" height="180px" />}>
      <Plot {...props} />
    </Suspense>
  );
}
