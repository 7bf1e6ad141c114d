import type { BusStanding } from '../../src/core/bus-identity/open-bus.ts';
import type { BusReach } from '../../src/core/discovery/bus-address.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import type { Handler } from './operation.ts';

const SECOND_MS = 1000;

export const getSettings: Handler<'getSettings'> = (_call, ports) => ({
  kind: 'json',
  status: 200,
  body: settingsView(ports),
});

/** Returns the settings that operators and workers need. */
export function settingsView(ports: Pick<Ports, 'settings' | 'auth' | 'busStanding'>): Schemas['Settings'] {
  const { bus, isBusManaged, heartbeatTimeoutMs, reclaimAfterMs, jobLinks } = ports.settings();
  return {
    auth: { password_length_min: ports.auth.passwordLengthMin },
    bus: { ...busView(bus, isBusManaged), ...authenticationView(ports.busStanding()) },
    scheduler: {
      heartbeat_timeout_seconds: heartbeatTimeoutMs / SECOND_MS,
      reclaim_after_seconds: reclaimAfterMs / SECOND_MS,
    },
    web: { job_links: jobLinks },
  };
}

/** Absent while it is unknown. */
const authenticationView = ({ kind }: BusStanding): Pick<Schemas['Settings']['bus'], 'authenticated'> =>
  kind === 'unknown' ? {} : { authenticated: kind === 'closed' };

/** Addresses with credentials are not shown. */
function busView(reach: BusReach, isManaged: boolean): Schemas['Settings']['bus'] {
  if ('refusal' in reach) return { urls: [], is_local: false };
  const { urls, port, isLocal } = reach;
  return { urls: urls ?? [], ...(isManaged && { port }), is_local: isLocal };
}
