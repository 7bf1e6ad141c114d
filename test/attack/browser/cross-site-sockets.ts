import type { AttackReport } from '../attack.ts';
import { hasOtherStatus, hasStatus, OWN_HOST, runAttempts, type Attempt, type Site } from './attempts.ts';
import { hostileOrigins } from './hostile-origins.ts';
import { exchange, headerOf, rawRequest, type RawAnswer, type RawHeaders } from './raw-http.ts';

const EVENTS = '/api/v1/ws';
const HANDSHAKE: RawHeaders = [
  ['Upgrade', 'websocket'],
  ['Connection', 'Upgrade'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];

/** T6: WebSocket connections that pages of other origins open (CSWSH), and upgrades in unusual requests. */
export const runCrossSiteSockets = (site: Site, count: number): Promise<AttackReport> =>
  runAttempts([...crossSiteSockets(site), ...unusualUpgrades(site)], count);

/** Returns the headers of a request to the service, with the session cookie if there is one. */
const fromBrowser = (site: Site): RawHeaders => [
  ['Host', `${OWN_HOST}:${site.port}`],
  ...(site.session === null ? [] : [['Cookie', site.session] as const]),
];

function crossSiteSockets(site: Site): readonly Attempt[] {
  const own = `http://${OWN_HOST}:${site.port}`;
  const attempts: Attempt[] = [];
  const upgrade = (name: string, headers: RawHeaders, check: Attempt['check']): void => {
    const bytes = rawRequest('GET', EVENTS, [...headers, ...HANDSHAKE]);
    attempts.push({ name: `an upgrade with ${name}`, send: () => exchange(site.port, bytes), check });
  };
  for (const [name, values] of hostileOrigins(site)) {
    const origin = values.map((value) => ['Origin', value] as const);
    upgrade(name, [...fromBrowser(site), ...origin], hasStatus(403));
    // A foreign Referer does not help, and the own one neither.
    upgrade(
      `${name} and the own Referer`,
      [...fromBrowser(site), ...origin, ['Referer', `${own}/`]],
      hasStatus(403),
    );
  }
  for (const origin of [own, site.listed, site.publicUrl])
    upgrade(`the origin ${origin}`, [...fromBrowser(site), ['Origin', origin]], hasStatus(101));
  const host: RawHeaders = [['Host', `${OWN_HOST}:${site.port}`]];
  if (site.session === null) upgrade('no origin', host, hasStatus(101));
  else upgrade('the cookie and no origin', fromBrowser(site), hasStatus(403));
  if (site.apiKey === null) return attempts;
  const bearer: RawHeaders = [...host, ['Authorization', `Bearer ${site.apiKey}`]];
  upgrade('a key and no origin', bearer, hasStatus(101));
  upgrade('no credential and the own origin', [...host, ['Origin', own]], hasStatus(401));
  upgrade('no credential and no origin', host, hasStatus(401));
  upgrade('an invalid key', [...host, ['Authorization', `Bearer ${site.apiKey}x`]], hasStatus(401));
  upgrade(
    'the key as a subprotocol',
    [...host, ['Sec-WebSocket-Protocol', `bearer, ${site.apiKey}`]],
    hasStatus(401),
  );
  return attempts;
}

function unusualUpgrades(site: Site): readonly Attempt[] {
  const own = `http://${OWN_HOST}:${site.port}`;
  const attempts: Attempt[] = [];
  const attempt = (name: string, bytes: string, check: Attempt['check']): void => {
    attempts.push({ name, send: () => exchange(site.port, bytes), check });
  };
  const notUpgraded = hasOtherStatus(101);
  const evil: RawHeaders = [...fromBrowser(site), ['Origin', 'https://evil.example']];
  for (const path of [
    '/',
    '/healthz',
    '/api/v1/farms',
    '/api/v1/ws/',
    '/api/v1/ws/x',
    '/API/V1/WS',
    '/api/v1//ws',
  ])
    attempt(`an upgrade of ${path}`, rawRequest('GET', path, [...evil, ...HANDSHAKE]), notUpgraded);
  for (const method of ['POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE'])
    attempt(`an upgrade with ${method}`, rawRequest(method, EVENTS, [...evil, ...HANDSHAKE]), notUpgraded);
  for (const query of ['?', '?origin=x', '?access_token=x'])
    attempt(
      `an upgrade of ${EVENTS}${query}`,
      rawRequest('GET', `${EVENTS}${query}`, [...evil, ...HANDSHAKE]),
      hasStatus(403),
    );
  // Frames that arrive with the handshake, as if it had been accepted.
  const frame = '\u0001\u0002subscribe';
  attempt(
    'frames after a refused handshake',
    rawRequest('GET', EVENTS, [...evil, ...HANDSHAKE]) + frame,
    refusedOrClosed,
  );
  const inner = rawRequest('GET', EVENTS, [...fromBrowser(site), ['Origin', own], ...HANDSHAKE]);
  attempt(
    'a handshake in the body of a request',
    rawRequest('POST', '/api/v1/farms', [...evil, ['Content-Type', 'application/json']], inner),
    hasStatus(403),
  );
  for (const words of ['websocket, h2c', 'h2c', 'websocket websocket', 'WebSocket/13'])
    attempt(
      `Upgrade: ${words}`,
      rawRequest('GET', EVENTS, [...evil, ['Upgrade', words], ...HANDSHAKE.slice(1)]),
      notUpgraded,
    );
  for (const protocols of ['chat', 'chat, superchat', 'svc_session', 'null', ', ,', 'x'.repeat(4_000)]) {
    const offered: RawHeaders = [
      ...fromBrowser(site),
      ['Origin', own],
      ['Sec-WebSocket-Protocol', protocols],
    ];
    attempt(
      `the subprotocols ${protocols.slice(0, 30)}`,
      rawRequest('GET', EVENTS, [...offered, ...HANDSHAKE]),
      withoutProtocol,
    );
  }
  return attempts;
}

/** Expects a refusal. The engine may close the connection first, because the frames are not a request. */
const refusedOrClosed: Attempt['check'] = (answer) => (answer === null ? null : hasStatus(403)(answer));

/** Expects an upgrade or a refusal as malformed; the service has no subprotocol. */
function withoutProtocol(answer: RawAnswer | null): string | null {
  if (answer === null) return null;
  if (answer.status !== 101 && answer.status !== 400) return `got ${answer.status}`;
  const selected = headerOf(answer.head, 'sec-websocket-protocol');
  return selected === undefined ? null : `selected the subprotocol ${selected}`;
}
