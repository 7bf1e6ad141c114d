import { headerValues, type Header } from '../pipeline/message.ts';
import type { Problem } from '../../src/core/problems.ts';

/** Where the event channel is (docs/contract/events.md). */
export const EVENTS_PATH = '/api/v1/ws';
const VERSION = '13';
/** What the answer to a request has that should have asked for an upgrade (RFC 9110, 15.5.22; RFC 6455, 4.4). */
export const UPGRADE_HEADERS: readonly Header[] = [
  ['Upgrade', 'websocket'],
  ['Connection', 'Upgrade'],
  ['Sec-WebSocket-Version', VERSION],
];

/** A key is 16 bytes as base64 (RFC 6455, 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** Why a request to the event channel does not open a WebSocket connection; null when it does. */
export function upgradeFault(headers: readonly Header[]): Problem | null {
  const names = (header: string, word: string): boolean =>
    headerValues(headers, header)
      .flatMap((value) => value.split(','))
      .some((each) => each.trim().toLowerCase() === word);
  if (!names('upgrade', 'websocket') || !names('connection', 'upgrade')) {
    return { kind: 'upgrade-required', detail: 'only WebSocket connections are opened here' };
  }
  const versions = headerValues(headers, 'sec-websocket-version');
  if (versions.length !== 1 || versions[0] !== VERSION) {
    return { kind: 'upgrade-required', detail: `the version of the WebSocket protocol must be ${VERSION}` };
  }
  const given = headerValues(headers, 'sec-websocket-key');
  if (given.length !== 1 || !KEY.test(given[0] ?? '')) {
    return { kind: 'bad-request', detail: 'Sec-WebSocket-Key must be 16 bytes as base64' };
  }
  return null;
}
