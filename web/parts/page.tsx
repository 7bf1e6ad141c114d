import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { showDirections } from '../../src/core/escaped-text.ts';
import { classNames } from './class-names.ts';
import './page.css';

export interface Crumb {
  readonly label: string;
  readonly href: string;
}

/** Frame of every page: breadcrumbs, the only h1, and the actions of the page. */
export function Page({
  title,
  beside,
  crumbs = [],
  actions,
  isFull = false,
  children,
}: {
  title: string;
  /** Next to the title: a status, a copy button. */
  beside?: ReactNode;
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  /** Fills the height of the window and scrolls inside. */
  isFull?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${showDirections(title)} · Callsheet`;
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
