import type { AttackReport } from '../attack.ts';
import { hasStatus, OWN_HOST, runAttempts, type Attempt, type Site } from './attempts.ts';
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
 * T16, the address of the client: each of `count` requests claims another address, in a header or with the PROXY
 * protocol. The service must have the limit `rps` and `burst`, and must not trust the peer: it may accept only what one
 * client may send in the time that has passed.
 */
export async function runForgedAddresses(
  site: Site,
  count: number,
  { rps, burst }: { readonly rps: number; readonly burst: number },
): Promise<AttackReport> {
  const started = performance.now();
  let accepted = 0;
  for (let at = 0; at < count; at++) {
    const request = Buffer.from(rawRequest('GET', '/api/v1/version', forged(site, at)));
    const bytes = Buffer.concat([at % 5 === 4 ? proxyHeader(at) : Buffer.alloc(0), request]);
    const answer = await exchange(site.port, bytes, { endsAfter: true });
    if (answer !== null && !REFUSALS.has(answer.status)) accepted++;
  }
  const seconds = (performance.now() - started) / 1000;
  const allowed = Math.ceil(burst + rps * seconds);
  const violation = `${accepted} of ${count} requests with forged addresses were accepted, at most ${allowed} are allowed`;
  return { tried: count, violations: accepted > allowed ? [violation] : [] };
}

/** Statuses of requests over the limit and of malformed requests. */
const REFUSALS: ReadonlySet<number> = new Set([400, 429]);

/** First bytes of version 2 of the PROXY protocol. */
const PROXY_V2 = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);

/**
 * Returns a header of the PROXY protocol with a forged address. uWebSockets.js accepts version 2 from every peer; the
 * address in it must not count.
 */
function proxyHeader(at: number): Buffer {
  const octet = at % 256;
  const text = `PROXY TCP4 198.51.100.${octet} 127.0.0.1 4711 80\r\n`;
  const ipv4 = [0x21, 0x11, 0, 12, 198, 51, 100, octet, 127, 0, 0, 1, 0, 80, 0, 80];
  const ipv6 = [0x21, 0x21, 0, 36, ...Array.from({ length: 36 }, (_, index) => (octet + index) % 256)];
  const local = [0x20, 0x00, 0, 0];
  const kinds = [
    Buffer.from(text),
    Buffer.concat([PROXY_V2, Buffer.from(ipv4)]),
    Buffer.concat([PROXY_V2, Buffer.from(ipv6)]),
    Buffer.concat([PROXY_V2, Buffer.from(local)]),
  ];
  return kinds[Math.floor(at / 5) % kinds.length] ?? Buffer.alloc(0);
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
 * T16, scheme and host of the request: the service must not trust the peer. A forged header must
 * neither make a foreign origin the own one, nor hide an unknown host.
 */
export const runForgedTargets = (site: Site, count: number): Promise<AttackReport> =>
  runAttempts([...forgedOrigins(site), ...forgedHosts(site)], count);

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
