import { test } from 'tap';
import { isInNetwork, isMappedIpv4, parseIp, parseNetwork } from '../../../src/core/access/ip-networks.ts';

const format = (text: string): string | null =>
  parseIp(text)
    ?.map((group) => group.toString(16))
    .join(':') ?? null;

test('addresses are read in every usual form', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['192.0.2.7', '0:0:0:0:0:ffff:c000:207'],
    ['0.0.0.0', '0:0:0:0:0:ffff:0:0'],
    ['255.255.255.255', '0:0:0:0:0:ffff:ffff:ffff'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['1::', '1:0:0:0:0:0:0:0'],
    ['2001:DB8::a:0', '2001:db8:0:0:0:0:a:0'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['0000:0000:0000:0000:0000:ffff:c000:0207', '0:0:0:0:0:ffff:c000:207'],
    ['::ffff:192.0.2.7', '0:0:0:0:0:ffff:c000:207'],
    ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4:5:6:c000:207'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0:0:0:c000:207'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ];
  for (const [text, groups] of cases) t.equal(format(text), groups, text);
});

test('other texts are not addresses', async (t) => {
  const texts = [
    '',
    ' 1.2.3.4',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '0x1.2.3.4',
    '1.2.3.4/8',
    '127.1',
    '2130706433',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::1.2.3',
    '[::1]',
    '::1%',
    'fe80::1%eth0 x',
    'localhost',
  ];
  for (const text of texts) t.equal(parseIp(text), null, text);
});

test('a network contains the addresses with its prefix', async (t) => {
  const contains = (network: string, address: string): boolean | null => {
    const parsed = parseNetwork(network);
    const ip = parseIp(address);
    return parsed === null || ip === null ? null : isInNetwork(ip, parsed);
  };
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['10.0.0.0/8', '10.255.1.2', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.9.8.7/8', '10.1.1.1', true],
    ['10.0.0.5', '10.0.0.5', true],
    ['10.0.0.5', '10.0.0.4', false],
    ['10.0.0.4/31', '10.0.0.5', true],
    ['10.0.0.4/31', '10.0.0.6', false],
    ['192.0.2.128/25', '192.0.2.127', false],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['::/0', '10.0.0.1', true],
    ['::1', '::1', true],
    ['::1/128', '::2', false],
  ];
  for (const [network, address, isIn] of cases)
    t.equal(contains(network, address), isIn, `${network} ${address}`);
  for (const text of [
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '/8',
    'a/8',
    'fe80::1%x/64',
  ])
    t.equal(parseNetwork(text), null, text);
});

test('IPv4 addresses are recognized', async (t) => {
  t.equal(isMappedIpv4(parseIp('10.0.0.1') ?? []), true);
  t.equal(isMappedIpv4(parseIp('::1') ?? []), false);
});
