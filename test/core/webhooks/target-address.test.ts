import fc from 'fast-check';
import { test } from 'tap';
import { parseNetwork } from '../../../src/core/access/ip-networks.ts';
import { isAllowedTarget, type AllowedTargets } from '../../../src/core/webhooks/target-address.ts';

const NONE: AllowedTargets = { names: [], networks: [] };
const isPublic = (address: string): boolean => isAllowedTarget('host', address, NONE);

/** docs/webhooks.md#addresses */
const REFUSED = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '::8.8.8.8',
  '64:ff9b::8.8.8.8',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::',
  '3fff::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '127.1',
  '0x7f.0.0.1',
  '2130706433',
  '',
  'localhost',
];
const ALLOWED = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '2001:4860:4860::8888',
];

test('only public unicast addresses are allowed', (t) => {
  for (const address of REFUSED) t.equal(isPublic(address), false, address);
  for (const address of ALLOWED) t.equal(isPublic(address), true, address);
  t.end();
});

/** First octets and masks, by hand from the registry, as a second implementation. */
const isPrivate = (address: number): boolean => {
  const [a, b, c] = [address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255];
  const special = [
    a === 0 || a === 10 || a === 127 || a >= 224,
    a === 100 && b >= 64 && b < 128,
    a === 169 && b === 254,
    a === 172 && b >= 16 && b < 32,
    a === 192 && b === 0 && (c === 0 || c === 2),
    a === 192 && ((b === 31 && c === 196) || (b === 52 && c === 193) || (b === 88 && c === 99) || b === 168),
    a === 192 && b === 175 && c === 48,
    a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100)),
    a === 203 && b === 0 && c === 113,
  ];
  return special.includes(true);
};
const dotted = (address: number): string =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
const anyIpv4 = fc.oneof(
  fc.nat(0xffffffff),
  // Near the borders of the networks.
  fc
    .tuple(
      fc.constantFrom(...[...REFUSED, ...ALLOWED].filter((text) => /^\d+\.\d+\.\d+\.\d+$/.test(text))),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([text, by]) => (text.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0) + by) >>> 0),
);

test('an IPv4 address is allowed exactly if no special network contains it, and in no other form', (t) => {
  fc.assert(
    fc.property(anyIpv4, (address) => {
      const text = dotted(address);
      const hex = `${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}`;
      return (
        isPublic(text) === !isPrivate(address) &&
        !isPublic(`::ffff:${text}`) &&
        !isPublic(`::ffff:${hex}`) &&
        !isPublic(`::${text}`) &&
        !isPublic(`64:ff9b::${text}`) &&
        !isPublic(`2002:${hex}::1`)
      );
    }),
    { numRuns: 2_000 },
  );
  t.end();
});

test('the configuration allows networks, whatever the name, and names, whatever the address', (t) => {
  const network = parseNetwork('10.1.0.0/16');
  if (network === null) throw new Error('the network is wrong');
  const allowed: AllowedTargets = { names: ['chat.local'], networks: [network] };
  t.equal(isAllowedTarget('other', '10.1.2.3', allowed), true);
  t.equal(isAllowedTarget('other', '10.2.0.1', allowed), false);
  t.equal(isAllowedTarget('chat.local', '127.0.0.1', allowed), true);
  t.equal(isAllowedTarget('chat.local.example.com', '127.0.0.1', allowed), false);
  t.equal(isAllowedTarget('chat.local', 'not an address', allowed), false);
  t.end();
});
