import { isIP } from 'node:net';
import { serviceAddresses } from '../../client/addresses.ts';

/**
 * Returns the address of a service without its query, fragment, user and trailing slashes: credentials belong to it. Of
 * several addresses, separated by commas, those of all.
 */
export const credentialAddresses = (url: string): readonly string[] =>
  serviceAddresses(url).map((address) => {
    const { origin, pathname } = new URL(address);
    return `${origin}${pathname.replace(/\/+$/, '')}`;
  });

/** Returns the hosts of addresses where requests can be read on the network: without TLS, and on another machine. */
export const openHosts = (url: string): readonly string[] =>
  serviceAddresses(url)
    .map((address) => new URL(address))
    .filter(({ protocol, hostname }) => protocol === 'http:' && !isLoopback(hostname))
    .map(({ host }) => host);

function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1') return true;
  return isIP(bare) === 4 && bare.startsWith('127.');
}
