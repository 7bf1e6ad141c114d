import { useQuery } from '@tanstack/react-query';
import { Eye, Menu, PanelLeftClose, PanelLeftOpen, Search } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { ProblemError } from '../../client/problem.ts';
import { IconButton } from '../parts/button.tsx';
import { classNames } from '../parts/class-names.ts';
import { QueryProblem } from '../parts/query-problem.tsx';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';
import { usePermissions, useReadOnly } from '../state/use-permissions.ts';
import { asBoolean, usePreference } from '../state/use-preference.ts';
import { ConnectionBanner, ConnectionState } from './connection.tsx';
import { NAV_ITEMS, type NavItem } from './navigation.ts';
import { SettingsMenu } from './settings-menu.tsx';
import './shell.css';

/** What is around every page: the navigation, the way to find things, and whether the page is live. */
export function Shell({ children, onFind }: { children: ReactNode; onFind: () => void }) {
  const [path] = useLocation();
  const [isNarrow, setIsNarrow] = usePreference('nav.narrow', false, asBoolean);
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === path;
  return (
    <div className={classNames('shell', isNarrow && 'shell--narrow')}>
      <a className="shell__skip" href="#main">
        Skip to the content
      </a>
      <nav className={classNames('shell__nav', isOpen && 'shell__nav--open')} aria-label="Main">
        <Link href="/" className="shell__brand">
          <img src="/icon.svg" alt="" />
          <span className="shell__word">Callsheet</span>
        </Link>
        {NAV_ITEMS.map((group) => (
          <PlaceList key={group.label} label={group.label} places={group.places} path={path} />
        ))}
        <div className="shell__fold">
          <IconButton
            label={isNarrow ? 'Show the names of the navigation' : 'Show only the icons of the navigation'}
            icon={isNarrow ? <PanelLeftOpen aria-hidden="true" /> : <PanelLeftClose aria-hidden="true" />}
            onPress={() => setIsNarrow(!isNarrow)}
          />
        </div>
      </nav>
      <header className="shell__top">
        <span className="shell__menu-button">
          <IconButton
            label={isOpen ? 'Close the navigation' : 'Open the navigation'}
            icon={<Menu aria-hidden="true" />}
            onPress={() => setOpenAt(isOpen ? null : path)}
          />
        </span>
        <button type="button" className="shell__find" onClick={onFind}>
          <Search aria-hidden="true" />
          Find or do…
          <kbd>Ctrl K</kbd>
        </button>
        <span className="shell__spacer" />
        <ReadOnlyBadge />
        <ConnectionState />
        <User />
        <SettingsMenu />
      </header>
      <main id="main" className="shell__main" tabIndex={-1}>
        <ConnectionBanner />
        <UserProblem />
        {children}
      </main>
    </div>
  );
}

function PlaceList({ label, places, path }: { label: string; places: readonly NavItem[]; path: string }) {
  const { can } = usePermissions();
  const allowed = places.filter(({ needs }) => can(needs));
  if (allowed.length === 0) return null;
  return (
    <div>
      <div className="shell__group-label shell__word">{label}</div>
      <ul className="shell__places">
        {allowed.map(({ href, label: name, icon: Icon }) => (
          <li key={href}>
            <Link
              href={href}
              className="shell__place"
              title={name}
              aria-current={isWithin(path, href) ? 'page' : undefined}
            >
              <Icon aria-hidden="true" />
              <span className="shell__word">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Tasks have no place of their own: they belong to jobs. */
const isWithin = (path: string, href: string): boolean =>
  path === href ||
  (href !== '/' && path.startsWith(`${href}/`)) ||
  (href === '/jobs' && path.startsWith('/tasks/'));

function ReadOnlyBadge() {
  const [isReadOnly] = useReadOnly();
  if (!isReadOnly) return null;
  return (
    <span className="shell__read-only" title="Nothing can be changed from this browser: Settings, Read only">
      <Eye aria-hidden="true" />
      <span className="shell__read-only-word">Read only</span>
    </span>
  );
}

/** Without an answer to who the user is nothing is allowed, and the navigation is empty: it is said why. */
function UserProblem() {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.principal(rest));
  // A service that is away is told by the banner.
  if (data !== undefined || !(error instanceof ProblemError)) return null;
  return (
    <div className="page">
      <QueryProblem error={error} what="what you may do" onRetry={() => void refetch()} />
    </div>
  );
}

function User() {
  const { rest } = useService();
  const { data } = useQuery(queries.principal(rest));
  if (data === undefined) return null;
  const name = data.display_name === '' ? data.username : data.display_name;
  return (
    <span className="shell__user muted" title={`${data.username}: ${data.roles.join(', ')}`}>
      {name}
    </span>
  );
}
