import { useId, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import './panel.css';

/** A section of a page with its own heading. */
export function Panel({
  title,
  beside,
  isWide = false,
  children,
}: {
  title: string;
  /** At the end of the heading: a link, a button. */
  beside?: ReactNode;
  /** Takes the full width of a panel grid. */
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

/** A grid of panels; one column on narrow screens. */
export function Panels({ children }: { children: ReactNode }) {
  return <div className="panels">{children}</div>;
}
