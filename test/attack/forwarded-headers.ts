import {
  hasOtherStatus,
  hasStatus,
  OWN_HOST,
  runAttempts,
  type AttackReport,
  type Attempt,
  type Site,
} from './attack.ts';
import { exchange, rawRequest, type RawHeaders } from './raw-http.ts';

const ADDRESSES = [
  '203.0.113.7',
  '10.0.0.1',
  '127.0.0.1',
  '::1',
  '2001:db8::7',
  '[2001:db8::7]:4711',
  'unknown',
  '_x',
];
const NAMES = [
  'X-Forwarded-For',
  'x-forwarded-for',
  'X-FORWARDED-FOR',
  'X-Real-IP',
  'Forwarded',
  'True-Client-IP',
];

/**
 * T16, the address of the client: each of `count` requests claims another address. The service must have the limit `rps`
 * and `burst`, and must not trust the peer: it may accept only what one client may send in the time that has passed.
 */
export async function runForgedAddresses(
  site: Site,
  count: number,
  { rps, burst }: { readonly rps: number; readonly burst: number },
): Promise<AttackReport> {
  const started = performance.now();
  let accepted = 0;
  for (let at = 0; at < count; at++) {
    const answer = await exchange(site.port, rawRequest('GET', '/api/v1/version', forged(site, at)));
    if (answer?.status !== 429) accepted++;
  }
  const seconds = (performance.now() - started) / 1000;
  const allowed = Math.ceil(burst + rps * seconds);
  const violation = `${accepted} of ${count} requests with forged addresses were accepted, at most ${allowed} are allowed`;
  return { tried: count, violations: accepted > allowed ? [violation] : [] };
}

function forged({ port }: Site, at: number): RawHeaders {
  const name = NAMES[at % NAMES.length] ?? '';
  const address = ADDRESSES[Math.floor(at / NAMES.length) % ADDRESSES.length] ?? '';
  const list = at % 3 === 0 ? `${address}, 198.51.100.${at % 256}` : `198.51.100.${at % 256}`;
  const value = name === 'Forwarded' ? `for="${address}";proto=https;host=evil.example` : list;
  const twice: RawHeaders = at % 4 === 0 ? [[name, `192.0.2.${at % 256}`]] : [];
  return [['Host', `${OWN_HOST}:${port}`], ['Connection', 'close'], [name, value], ...twice];
}

/**
 * T16, scheme and host of the request and the PROXY protocol: the service must not trust the peer. A forged header must
 * neither make a foreign origin the own one, nor hide an unknown host.
 */
export const runForgedTargets = (site: Site, count: number): Promise<AttackReport> =>
  runAttempts([...forgedOrigins(site), ...forgedHosts(site), ...proxyProtocol(site)], count);

const EVIL = 'evil.example';

const forgeries = (scheme: string, host: string): readonly RawHeaders[] => [
  [
    ['X-Forwarded-Proto', scheme],
    ['X-Forwarded-Host', host],
  ],
  [
    ['X-Forwarded-Host', host],
    ['X-Forwarded-Proto', scheme],
    ['X-Forwarded-Proto', scheme],
  ],
  [
    ['x-forwarded-proto', `${scheme}, ${scheme}`],
    ['x-forwarded-host', `${host}, ${host}`],
  ],
  [
    ['X-Forwarded-Scheme', scheme],
    ['X-Host', host],
    ['X-Original-Host', host],
  ],
  [['Forwarded', `proto=${scheme};host=${host}`]],
  [
    ['X-Forwarded-Host', host],
    ['X-Forwarded-Host', `${OWN_HOST}`],
    ['Front-End-Https', 'on'],
  ],
  [
    ['X-Forwarded-Server', host],
    ['X-Forwarded-Ssl', 'on'],
    ['X-Url-Scheme', scheme],
  ],
  [
    ['X-HTTP-Host-Override', host],
    ['X-Forwarded-Port', '443'],
    ['X-Forwarded-Proto', scheme],
  ],
];

function forgedOrigins(site: Site): readonly Attempt[] {
  const own = `${OWN_HOST}:${site.port}`;
  const cookie: RawHeaders = site.session === null ? [] : [['Cookie', site.session]];
  const targets: readonly (readonly [string, string])[] = [
    ['https', own],
    ['https', EVIL],
    ['http', EVIL],
    ['http', `${OWN_HOST}:${site.port + 1}`],
    ['https', `${own}.evil.example`],
  ];
  return targets.flatMap(([scheme, host]) =>
    forgeries(scheme, host).flatMap((headers, index) =>
      ['POST', 'DELETE', 'PATCH'].map((method) => {
        const path = method === 'POST' ? '/api/v1/farms' : `/api/v1/jobs/x`;
        const base: RawHeaders = [
          ['Host', own],
          ['Connection', 'close'],
          ['Origin', `${scheme}://${host}`],
        ];
        const bytes = rawRequest(
          method,
          path,
          [...base, ...cookie, ...headers, ['Content-Type', 'application/json']],
          '{}',
        );
        return {
          name: `${method} from ${scheme}://${host} with forgery ${index}`,
          send: () => exchange(site.port, bytes),
          check: hasStatus(403),
        };
      }),
    ),
  );
}

/** Hosts that the service does not answer to, with a forged header that names one of its own. */
function forgedHosts(site: Site): readonly Attempt[] {
  const hosts = [
    EVIL,
    `${EVIL}:${site.port}`,
    `${OWN_HOST}.${EVIL}`,
    `${OWN_HOST}.:${site.port}`,
    `evil.${OWN_HOST}`,
    `${OWN_HOST}@${EVIL}`,
    `${EVIL}#${OWN_HOST}`,
    `${OWN_HOST}:${site.port}:80`,
    `${OWN_HOST}:x`,
    `${OWN_HOST}/`,
    `loc\u0430lhost:${site.port}`,
    '0x7f000001',
    '2130706433',
    '127.1',
    '0.0.0.0',
    '[::]',
    '[::1',
    '203.0.113.7',
    '[2001:db8::66]',
    '[fe80::1%25eth0]',
  ];
  return hosts.flatMap((host) =>
    forgeries('http', `${OWN_HOST}:${site.port}`).map((headers, index) => ({
      name: `the host ${host} with forgery ${index}`,
      send: () =>
        exchange(
          site.port,
          rawRequest('GET', '/api/v1/farms', [['Host', host], ['Connection', 'close'], ...headers]),
        ),
      check: hasStatus(421, 400),
    })),
  );
}

const PROXY_V2 = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);

/** Bytes of the PROXY protocol in front of a request. They must not be taken for the address of the client. */
function proxyProtocol(site: Site): readonly Attempt[] {
  const request = rawRequest('GET', '/api/v1/farms', [
    ['Host', `${OWN_HOST}:${site.port}`],
    ['Connection', 'close'],
  ]);
  const first = [
    'PROXY TCP4 203.0.113.7 127.0.0.1 4711 80\r\n',
    'PROXY UNKNOWN\r\n',
    'PROXY TCP6 ::1 ::1 1 80\r\n',
  ];
  const texts = first.map((line) => Buffer.from(line + request));
  const binary = [0x20, 0x21, 0x22, 0x31, 0x11].flatMap((command) =>
    [0x11, 0x21, 0x00].map((family) => {
      const length = family === 0x21 ? 36 : family === 0x11 ? 12 : 0;
      const header = Buffer.from([command, family, 0x00, length]);
      return Buffer.concat([PROXY_V2, header, Buffer.alloc(length, 7), Buffer.from(request)]);
    }),
  );
  return [...texts, ...binary].map((bytes, index) => ({
    name: `PROXY protocol ${index}`,
    send: () => exchange(site.port, bytes, { endsAfter: true }),
    check: (answer) => (answer === null ? null : hasOtherStatus(200, 101)(answer)),
  }));
}
