import './skeleton.css';

/** Placeholder of a text while it loads; `width` is a CSS length such as `12ch`. */
export function Skeleton({ width = '12ch', height }: { width?: string; height?: string }) {
  return (
    <span
      className="skeleton"
      aria-hidden="true"
      style={{ width, ...(height !== undefined && { height }) }}
    />
  );
}

/** Placeholder of a list or a card while it loads. */
export function SkeletonLines({ lines = 5, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className="stack" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_unused, line) => (
        <Skeleton key={line} width={`${90 - ((line * 17) % 40)}%`} />
      ))}
    </div>
  );
}
