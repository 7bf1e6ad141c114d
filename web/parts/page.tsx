import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';
import './page.css';

export interface Crumb {
  readonly label: string;
  readonly href: string;
}

/** The frame of every page: where it is, its only h1, and what can be done with all of it. */
export function Page({
  title,
  beside,
  crumbs = [],
  actions,
  isFull = false,
  children,
}: {
  title: string;
  /** Beside the title: a status, a copy button. */
  beside?: ReactNode;
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  /** Takes the height of the window, and scrolls inside. */
  isFull?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Callsheet`;
  }, [title]);
  return (
    <div className={classNames('page', isFull && 'page--full')}>
      <header className="page__head">
        <div>
          {crumbs.length > 0 && (
            <nav aria-label="Breadcrumbs">
              <ol className="page__crumbs">
                {crumbs.map((crumb) => (
                  <li key={crumb.href}>
                    <Link href={crumb.href}>{crumb.label}</Link>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <div className="page__title">
            <h1>{title}</h1>
            {beside}
          </div>
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
