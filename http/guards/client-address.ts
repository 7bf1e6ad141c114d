import { isInNetwork, isMappedIpv4, parseIp, type IpAddress } from '../../src/core/access/ip-networks.ts';
import type { TrustedPeers } from '../../src/core/config/http-types.ts';
import { headerValues, type Header } from '../pipeline/message.ts';

/** Stands for clients without a readable address. */
const UNKNOWN = 'unknown';
/** Groups of an IPv6 address that identify a customer network: /64. */
const NETWORK_GROUPS = 4;

/** Reports whether headers of a proxy count when they come from this peer. */
export const isTrustedPeer = (peer: string, trusted: TrustedPeers): boolean =>
  typeof trusted === 'boolean' ? trusted : isTrusted(parseIp(peer), trusted);

/** Null stands for an unknown address. */
function isTrusted(address: IpAddress | null, trusted: TrustedPeers): boolean {
  if (typeof trusted === 'boolean') return trusted;
  return address !== null && trusted.some((network) => isInNetwork(address, network));
}

/**
 * Returns the address that a request counts for: that of the peer, unless it is a trusted proxy (`http.trust_proxy`).
 * Then it is an entry of `X-Forwarded-For`, read from the right, because each proxy appends the address of its peer: the
 * first one that is not a trusted proxy. If every peer is trusted, it is the last entry. A missing or invalid entry ends the search: the
 * address before it counts. An IPv6 address counts as its /64, because a client usually has the whole network.
 */
export function clientOf(peer: string, headers: readonly Header[], trusted: TrustedPeers): string {
  let client = parseIp(peer);
  if (!isTrusted(client, trusted)) return formatClient(client);
  for (const entry of forwardedFor(headers)) {
    const address = parseIp(entry);
    if (address === null) break;
    client = address;
    if (trusted === true || !isTrusted(address, trusted)) break;
  }
  return formatClient(client);
}

/** Returns the entries of `X-Forwarded-For`, the last one first. */
function forwardedFor(headers: readonly Header[]): string[] {
  const entries = headerValues(headers, 'x-forwarded-for').flatMap((value) => value.split(','));
  return entries.reverse().map((entry) => {
    const text = entry.trim();
    // Some proxies append the port, which requires brackets around an IPv6 address.
    return /^\[(.+)\](?::[0-9]+)?$/.exec(text)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(text)?.[1] ?? text;
  });
}

/** Formats an IPv4 address, or the /64 of an IPv6 address. */
function formatClient(address: IpAddress | null): string {
  if (address === null) return UNKNOWN;
  if (isMappedIpv4(address)) {
    const [high = 0, low = 0] = address.slice(6);
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  const network = address.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
