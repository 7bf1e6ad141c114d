import type { ReactNode } from 'react';
import { Link } from 'wouter';
import './stat.css';

/** A number with its label; `href` links to the items that it counts. */
export function Stat({
  label,
  value,
  note,
  href,
}: {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  href?: string;
}) {
  const content = (
    <>
      <span className="stat__label">{label}</span>
      <span className="stat__value">{value}</span>
      {note !== undefined && <span className="stat__note">{note}</span>}
    </>
  );
  return href === undefined ? (
    <div className="stat">{content}</div>
  ) : (
    <Link href={href} className="stat">
      {content}
    </Link>
  );
}

export function Stats({ children }: { children: ReactNode }) {
  return <div className="stats">{children}</div>;
}
