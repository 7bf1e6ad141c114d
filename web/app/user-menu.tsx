import { useQuery } from '@tanstack/react-query';
import { CircleUserRound, LogOut, UserRound } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Principal } from '../../client/resources.ts';
import { Menu, type MenuAnchor } from '../parts/menu.tsx';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';
import { signOut } from '../state/sign-out.ts';
import { toasts } from '../state/toasts.ts';
import './user-menu.css';

const nameOf = ({ display_name: name, username }: Principal): string => (name === '' ? username : name);

/** Who the user is, and the menu of the account. Without authentication only the name. */
export function UserMenu() {
  const { rest } = useService();
  const { data } = useQuery(queries.principal(rest));
  if (data === undefined) return null;
  if (data.kind === 'anonymous')
    return (
      <span className="shell__user muted" title={`${data.username}: ${data.roles.join(', ')}`}>
        {nameOf(data)}
      </span>
    );
  return <AccountMenu principal={data} />;
}

function AccountMenu({ principal }: { principal: Principal }) {
  const [, navigate] = useLocation();
  const [at, setAt] = useState<MenuAnchor | null>(null);
  const name = nameOf(principal);
  const role = principal.roles.join(', ');
  return (
    <>
      <button
        type="button"
        className="user-menu"
        aria-haspopup="menu"
        title={`${principal.username}: ${role}`}
        onClick={({ currentTarget }) => {
          const { left, bottom } = currentTarget.getBoundingClientRect();
          setAt({ x: left, y: bottom + 2 });
        }}
      >
        <CircleUserRound aria-hidden="true" />
        <span className="visually-hidden">Account of </span>
        <span className="user-menu__name">{name}</span>
        <span className="user-menu__role">{role}</span>
      </button>
      {at !== null && (
        <Menu
          label={`Account of ${name}`}
          at={at}
          onClose={() => setAt(null)}
          items={[
            {
              id: 'account',
              label: 'Account and API keys',
              icon: <UserRound aria-hidden="true" />,
              act: () => navigate('/account'),
            },
            ...(principal.kind === 'session'
              ? [
                  {
                    id: 'sign-out',
                    label: 'Sign out',
                    icon: <LogOut aria-hidden="true" />,
                    startsGroup: true,
                    act: () =>
                      void signOut().catch((error: unknown) => toasts.failed(error, 'Could not sign out')),
                  },
                ]
              : []),
          ]}
        />
      )}
    </>
  );
}
