import { LineDiff } from '../../parts/line-diff.tsx';
import './products.css';

/** The parts of a product or preset that are compared. */
export interface ComparedProduct {
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly version: string;
  readonly readme: string;
  readonly template: string;
}

const PARTS = [
  ['version', 'Version'],
  ['title', 'Title'],
  ['category', 'Category'],
  ['description', 'Description'],
  ['readme', 'Readme'],
  ['template', 'Template'],
] as const;

/** The differences of two versions of a product, part by part. */
export function ProductChanges({ before, after }: { before: ComparedProduct; after: ComparedProduct }) {
  const changed = PARTS.filter(([part]) => before[part] !== after[part]);
  if (changed.length === 0) return <p className="muted">The two versions are equal.</p>;
  return (
    <div className="product-changes">
      {changed.map(([part, label]) => (
        <section key={part} aria-label={label}>
          <h3>{label}</h3>
          <LineDiff label={label} before={before[part]} after={after[part]} />
        </section>
      ))}
    </div>
  );
}
