/** A small line chart from old to new, from 0 to `max`. `label` describes it. */
export function Sparkline({
  values,
  max,
  label,
  width = 120,
  height = 28,
}: {
  values: readonly number[];
  max: number;
  label: string;
  width?: number;
  height?: number;
}) {
  const top = Math.max(max, 1e-9);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 1 - (Math.min(value, top) / top) * (height - 2)).toFixed(1)}`,
  );
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {points.length > 1 && (
        <>
          <polygon
            points={`0,${height} ${points.join(' ')} ${width},${height}`}
            fill="var(--state-running)"
            opacity="0.18"
          />
          <polyline points={points.join(' ')} fill="none" stroke="var(--state-running)" strokeWidth="1.5" />
        </>
      )}
    </svg>
  );
}
