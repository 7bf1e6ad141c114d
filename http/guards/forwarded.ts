import type { TrustedPeers } from '../../src/core/config/http-types.ts';
import { headerValues, type HttpRequest } from '../pipeline/message.ts';
import { isTrustedPeer } from './client-address.ts';

type Head = Pick<HttpRequest, 'headers' | 'remoteAddress'>;

/** Returns the last entry of a header of a trusted peer: the one that the peer itself has written. Null if there is none. */
function forwarded({ headers, remoteAddress }: Head, name: string, trusted: TrustedPeers): string | null {
  if (!isTrustedPeer(remoteAddress, trusted)) return null;
  const entry = headerValues(headers, name).at(-1)?.split(',').at(-1)?.trim().toLowerCase() ?? '';
  return entry === '' ? null : entry;
}

/** Returns the host that the client addressed: `Host` with its port, or `X-Forwarded-Host` of a trusted peer. */
export const addressedHost = (head: Head, trusted: TrustedPeers): string =>
  forwarded(head, 'x-forwarded-host', trusted) ?? headerValues(head.headers, 'host')[0] ?? '';

/** Returns the scheme that the client used: `http`, or `https` if a trusted peer reports it (`X-Forwarded-Proto`). */
export const addressedScheme = (head: Head, trusted: TrustedPeers): 'http' | 'https' =>
  forwarded(head, 'x-forwarded-proto', trusted) === 'https' ? 'https' : 'http';

/**
 * Reports whether cookies of the answer get the attribute `Secure` when `auth.session.cookie_secure` is `auto`: the request carries
 * `X-Forwarded-Proto: https` (docs/contract/authentication.md#sessions). The header counts from every peer, because it
 * affects only the cookie of its sender. The service itself does not end TLS.
 */
export const isSecure = ({ headers }: Pick<HttpRequest, 'headers'>): boolean =>
  headerValues(headers, 'x-forwarded-proto')
    .flatMap((value) => value.split(','))
    .some((entry) => entry.trim().toLowerCase() === 'https');
