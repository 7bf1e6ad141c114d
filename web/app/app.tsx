import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { LinkButton } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { SkeletonLines } from '../parts/skeleton.tsx';
import { openQueries } from '../state/open-queries.ts';
import { ServiceProvider, type Service } from '../state/service.tsx';
import { useEvents } from '../state/use-events.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { useJobBell } from './job-bell.ts';
import { PageGuard } from './page-guard.tsx';
import { Palette } from './palette.tsx';
import { ROUTES } from './routes.tsx';
import { SessionDialog } from './session-dialog.tsx';
import { Shell } from './shell.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { ToastList } from './toast-list.tsx';
import { useRefreshOnReturn } from './use-refresh-on-return.ts';
import { useSession } from './use-session.ts';
import { useShortcuts } from './use-shortcuts.ts';

export function App({ service }: { service: Service }) {
  const [client] = useState(() => openQueries(service.rest));
  return (
    <QueryClientProvider client={client}>
      <ServiceProvider service={service}>
        <Frame />
      </ServiceProvider>
    </QueryClientProvider>
  );
}

function Frame() {
  const [path] = useLocation();
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null);
  // Subscribed all the time: a page that subscribes again then gets no replay of older events.
  useEvents('jobs', () => undefined);
  useEvents('workers', () => undefined);
  useJobBell();
  useRefreshOnReturn();
  useSession();
  useShortcuts({ onFind: () => setOpen('palette'), onHelp: () => setOpen('shortcuts') });
  return (
    <>
      <Shell onFind={() => setOpen('palette')}>
        <ErrorBoundary resetKey={path}>
          <Suspense fallback={<Loading />}>
            <Switch>
              {ROUTES.map(({ path: pattern, Page: Content, needs }) => (
                <Route key={pattern} path={pattern}>
                  <PageGuard needs={needs}>
                    <Content />
                  </PageGuard>
                </Route>
              ))}
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </Shell>
      {open === 'palette' && <Palette onClose={() => setOpen(null)} onHelp={() => setOpen('shortcuts')} />}
      {open === 'shortcuts' && <ShortcutsDialog onClose={() => setOpen(null)} />}
      <SessionDialog />
      <ToastList />
    </>
  );
}

function Loading() {
  return (
    <div className="page">
      <SkeletonLines lines={8} label="Loading the page" />
    </div>
  );
}

function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState title="Nothing here" actions={<LinkButton href="/">Go to overview</LinkButton>}>
        Check the address. The item may have been deleted.
      </EmptyState>
    </Page>
  );
}
