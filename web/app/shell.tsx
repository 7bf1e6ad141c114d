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
import { SessionBanner } from './session-dialog.tsx';
import { SettingsMenu } from './settings-menu.tsx';
import { UserMenu } from './user-menu.tsx';
import './shell.css';

/** Frame of every page: navigation, search, state of the connection, settings. */
export function Shell({ children, onFind }: { children: ReactNode; onFind: () => void }) {
  const [path] = useLocation();
  const [isNarrow, setIsNarrow] = usePreference('nav.narrow', false, asBoolean);
  const [openAt, setOpenAt] = useState<string | null>(null);
  const isOpen = openAt === path;
  return (
    <div className={classNames('shell', isNarrow && 'shell--narrow')}>
      <a className="shell__skip" href="#main">
        Skip to content
      </a>
      <nav className={classNames('shell__nav', isOpen && 'shell__nav--open')} aria-label="Main">
        <Link href="/" className="shell__brand">
          <img src="/icon.svg" alt="" />
          <span className="shell__word">Callsheet</span>
        </Link>
        {NAV_ITEMS.map((group) => (
          <NavList key={group.label} label={group.label} items={group.items} path={path} />
        ))}
        <div className="shell__fold">
          <IconButton
            label={isNarrow ? 'Expand navigation' : 'Collapse navigation'}
            icon={isNarrow ? <PanelLeftOpen aria-hidden="true" /> : <PanelLeftClose aria-hidden="true" />}
            onPress={() => setIsNarrow(!isNarrow)}
          />
        </div>
      </nav>
      <header className="shell__top">
        <span className="shell__menu-button">
          <IconButton
            label={isOpen ? 'Close navigation' : 'Open navigation'}
            icon={<Menu aria-hidden="true" />}
            onPress={() => setOpenAt(isOpen ? null : path)}
          />
        </span>
        <button type="button" className="shell__find" onClick={onFind}>
          <Search aria-hidden="true" />
          <span className="shell__find-text">Search or run a command…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <span className="shell__spacer" />
        <ReadOnlyBadge />
        <ConnectionState />
        <UserMenu />
        <SettingsMenu />
      </header>
      <main id="main" className="shell__main" tabIndex={-1}>
        <ConnectionBanner />
        <SessionBanner />
        <UserProblem />
        {children}
      </main>
    </div>
  );
}

function NavList({ label, items, path }: { label: string; items: readonly NavItem[]; path: string }) {
  const { can } = usePermissions();
  const allowed = items.filter(({ needs }) => can(needs));
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

/** Task pages belong to the Jobs entry. */
const isWithin = (path: string, href: string): boolean =>
  path === href ||
  (href !== '/' && path.startsWith(`${href}/`)) ||
  (href === '/jobs' && path.startsWith('/tasks/'));

function ReadOnlyBadge() {
  const [isReadOnly] = useReadOnly();
  if (!isReadOnly) return null;
  return (
    <span className="shell__read-only" title="Read-only mode. Turn it off in Settings.">
      <Eye aria-hidden="true" />
      <span className="shell__read-only-word">Read-only</span>
    </span>
  );
}

/** Explains an empty navigation: without the user's permissions, nothing is allowed. */
function UserProblem() {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.principal(rest));
  // The connection banner reports an unreachable server.
  if (data !== undefined || !(error instanceof ProblemError)) return null;
  return (
    <div className="page">
      <QueryProblem error={error} what="your permissions" onRetry={() => void refetch()} />
    </div>
  );
}
