import { post, startBenchService, type BenchService } from '../service.ts';

/** Without authentication, or with authentication and TLS. */
export type Mode = 'open' | 'authenticated';
export const MODES = ['open', 'authenticated'] as const;

const LIFETIME = '2h';

/** Starts a service with an empty store and its own bus. */
export const startBusService = (mode: Mode): Promise<BenchService> =>
  startBenchService([`--bus-auth-enabled=${mode === 'authenticated'}`]);

/** Returns the text of a token with which this many workers can join; null without authentication. */
export async function joinTokenFor(service: BenchService, mode: Mode, uses: number): Promise<string | null> {
  if (mode === 'open') return null;
  const made = await post<{ readonly token: string }>(`${service.url}/api/v1/worker-tokens`, {
    uses,
    expires_in: LIFETIME,
  });
  return made.token;
}
