import './skeleton.css';

/** The place of a text that is on its way; `width` in CSS, such as `12ch`. */
export function Skeleton({ width = '12ch', height }: { width?: string; height?: string }) {
  return (
    <span
      className="skeleton"
      aria-hidden="true"
      style={{ width, ...(height !== undefined && { height }) }}
    />
  );
}

/** The place of a list or a card that is on its way. */
export function SkeletonLines({ lines = 5, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className="stack" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_unused, line) => (
        <Skeleton key={line} width={`${90 - ((line * 17) % 40)}%`} />
      ))}
    </div>
  );
}
