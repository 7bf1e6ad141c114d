import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { Rest } from '../../client/rest.ts';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';

/** The application at `/sign-in`. */
export function SignInApp() {
  const [client] = useState(() => new QueryClient({ defaultOptions: { queries: { retry: 1 } } }));
  const [rest] = useState(() => new Rest({ base: location.origin }));
  return (
    <QueryClientProvider client={client}>
      <SignInPage rest={rest} />
    </QueryClientProvider>
  );
}
