import type { ReactNode } from 'react';
import './key-values.css';

/** Labeled values of one item; null values are omitted. */
export function KeyValues({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="key-values">
      {facts
        .filter(([, value]) => value !== null)
        .map(([label, value]) => (
          <div key={label} style={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
