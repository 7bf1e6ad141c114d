import { createContext, use, type ReactNode } from 'react';
import type { EventChannel } from '../../client/events/channel.ts';
import type { Rest } from '../../client/rest.ts';
import type { Session } from './session.ts';

/** Connection to the server that served the page. */
export interface Service {
  readonly rest: Rest;
  readonly events: EventChannel;
  readonly session: Session;
}

const ServiceContext = createContext<Service | null>(null);

export function ServiceProvider({ service, children }: { service: Service; children: ReactNode }) {
  return <ServiceContext value={service}>{children}</ServiceContext>;
}

export function useService(): Service {
  const service = use(ServiceContext);
  if (service === null) throw new Error('useService is used outside of ServiceProvider');
  return service;
}
