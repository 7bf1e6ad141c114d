import { headerValues, type Header } from '../pipeline/message.ts';
import type { Problem } from '../../src/core/problems.ts';

/** Path of the event channel (docs/contract/events.md). */
export const EVENTS_PATH = '/api/v1/ws';
const VERSION = '13';
/** Headers of the response to a request that should have requested an upgrade (RFC 9110, 15.5.22; RFC 6455, 4.4). */
export const UPGRADE_HEADERS: readonly Header[] = [
  ['Upgrade', 'websocket'],
  ['Connection', 'Upgrade'],
  ['Sec-WebSocket-Version', VERSION],
];

/** A key is 16 bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** Returns why a request to the event channel does not open a WebSocket connection; null if it does. */
export function upgradeFault(headers: readonly Header[]): Problem | null {
  const names = (header: string, word: string): boolean =>
    headerValues(headers, header)
      .flatMap((value) => value.split(','))
      .some((each) => each.trim().toLowerCase() === word);
  if (!names('upgrade', 'websocket') || !names('connection', 'upgrade')) {
    return { kind: 'upgrade-required', detail: 'this path accepts only WebSocket connections' };
  }
  const versions = headerValues(headers, 'sec-websocket-version');
  if (versions.length !== 1 || versions[0] !== VERSION) {
    return { kind: 'upgrade-required', detail: `the WebSocket protocol version must be ${VERSION}` };
  }
  const given = headerValues(headers, 'sec-websocket-key');
  if (given.length !== 1 || !KEY.test(given[0] ?? '')) {
    return { kind: 'bad-request', detail: 'Sec-WebSocket-Key must be 16 bytes in base64' };
  }
  return null;
}
