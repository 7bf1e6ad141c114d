import { useQuery } from '@tanstack/react-query';
import { CircleUserRound } from 'lucide-react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Panels } from '../../parts/panel.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { ApiKeysPanel } from './api-keys-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';

/** The account of the user: name, password, API keys. */
export function AccountPage() {
  const { rest } = useService();
  const { data } = useQuery(queries.principal(rest));
  return (
    <Page title="Account">
      {data === undefined ? (
        <SkeletonLines lines={8} label="Loading the account" />
      ) : data.kind === 'anonymous' ? (
        <EmptyState title="There are no accounts" icon={CircleUserRound}>
          Authentication is turned off on this server: every client that reaches it may do everything.
        </EmptyState>
      ) : (
        <Panels>
          <ProfilePanel principal={data} />
          <PasswordPanel principal={data} />
          <ApiKeysPanel />
        </Panels>
      )}
    </Page>
  );
}
