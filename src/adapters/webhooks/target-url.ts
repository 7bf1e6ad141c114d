import { isIP } from 'node:net';
import { isAllowedTarget, type AllowedTargets } from '../../core/webhooks/target-address.ts';

const URL_CHARACTERS_MAX = 2_048;

/** Returns why a webhook cannot have a URL; null if it can. Names are not resolved: `postWebhook` checks their addresses. */
export function targetUrlFault(text: string, allowed: AllowedTargets): string | null {
  if (text.length > URL_CHARACTERS_MAX) return `must have at most ${URL_CHARACTERS_MAX} characters`;
  if (!URL.canParse(text)) return 'must be a URL such as https://example.com/hook';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isAllowedTarget(host, host, allowed)) return refusedAddress(host);
  return null;
}

/** Returns the name or address of a URL, an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

export const refusedAddress = (address: string): string =>
  `the address ${address} is not public; an administrator can allow it with webhooks.allow_private`;
