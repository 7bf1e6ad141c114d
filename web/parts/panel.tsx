import { useId, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import './panel.css';

/** A part of a page with a heading of its own. */
export function Panel({
  title,
  beside,
  isWide = false,
  children,
}: {
  title: string;
  /** At the end of the heading: a link, a button. */
  beside?: ReactNode;
  /** In a grid of panels it takes the whole width. */
  isWide?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={classNames('panel card', isWide && 'panel--wide')} aria-labelledby={id}>
      <div className="panel__head">
        <h2 id={id}>{title}</h2>
        {beside !== undefined && <div className="panel__beside">{beside}</div>}
      </div>
      {children}
    </section>
  );
}

/** Panels beside each other where there is room. */
export function Panels({ children }: { children: ReactNode }) {
  return <div className="panels">{children}</div>;
}
