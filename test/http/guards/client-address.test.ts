import { test } from 'tap';
import { clientOf, isTrustedPeer } from '../../../http/guards/client-address.ts';
import type { Header } from '../../../http/pipeline/message.ts';
import { parseNetwork } from '../../../src/core/access/ip-networks.ts';

const forwarded = (values: readonly string[]): readonly Header[] =>
  values.map((value) => ['x-forwarded-for', value] as const);

void test('the peer address identifies the client; for IPv6 its /64', async (t) => {
  const cases: [string, string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['0000:0000:0000:0000:0000:ffff:c000:0207', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
  ];
  for (const [peer, client] of cases) t.equal(clientOf(peer, [], false), client, peer);
});

void test('X-Forwarded-For is used only behind a trusted proxy, and only its last entry', async (t) => {
  const peer = '10.0.0.1';
  const cases: [string[], string][] = [
    [['203.0.113.9'], '203.0.113.9'],
    [['198.51.100.1, 203.0.113.9'], '203.0.113.9'],
    [['203.0.113.9', '198.51.100.1'], '198.51.100.1'],
    [['203.0.113.9:4711'], '203.0.113.9'],
    [['[2001:db8:1:2::7]:4711'], '2001:db8:1:2::/64'],
    [['[2001:db8:1:2::7]'], '2001:db8:1:2::/64'],
    [['2001:db8:1:2::7'], '2001:db8:1:2::/64'],
    [['203.0.113.9, unknown'], peer],
    [['203.0.113.9,'], peer],
    [['_hidden'], peer],
    [[''], peer],
    [[], peer],
  ];
  for (const [values, client] of cases) {
    t.equal(clientOf(peer, forwarded(values), true), client, values.join(' | '));
    t.equal(clientOf(peer, forwarded(values), false), peer, values.join(' | '));
  }
  t.equal(clientOf('', forwarded(['203.0.113.9']), true), '203.0.113.9', 'true trusts also an unknown peer');
});

void test('with listed proxies the client is the last address that is not a proxy', async (t) => {
  const proxies = ['10.0.0.0/8', '2001:db8:aaaa::/48'].flatMap((text) => parseNetwork(text) ?? []);
  const cases: [peer: string, string[], string][] = [
    ['203.0.113.1', ['198.51.100.1'], '203.0.113.1'],
    ['', ['198.51.100.1'], 'unknown'],
    ['10.0.0.1', ['198.51.100.1'], '198.51.100.1'],
    ['::ffff:10.0.0.1', ['198.51.100.1'], '198.51.100.1'],
    ['10.0.0.1', ['198.51.100.1, 10.0.0.2'], '198.51.100.1'],
    ['10.0.0.1', ['198.51.100.1', '10.0.0.2', '10.0.0.3'], '198.51.100.1'],
    ['10.0.0.1', ['203.0.113.66, 198.51.100.1, 2001:db8:aaaa::1'], '198.51.100.1'],
    ['10.0.0.1', ['192.0.2.1', '198.51.100.1'], '198.51.100.1'],
    ['10.0.0.1', ['10.9.9.9, 10.0.0.2'], '10.9.9.9'],
    ['10.0.0.1', ['198.51.100.1, evil, 10.0.0.2'], '10.0.0.2'],
    ['10.0.0.1', ['198.51.100.1, 10.0.0.2, '], '10.0.0.1'],
    ['10.0.0.1', [], '10.0.0.1'],
    ['2001:db8:aaaa:1::5', ['2001:db8:1:2::7'], '2001:db8:1:2::/64'],
  ];
  for (const [peer, values, client] of cases)
    t.equal(clientOf(peer, forwarded(values), proxies), client, `${peer} ${values.join(' | ')}`);
  t.equal(isTrustedPeer('10.1.2.3', proxies), true);
  t.equal(isTrustedPeer('11.1.2.3', proxies), false);
  t.equal(isTrustedPeer('', proxies), false);
  t.equal(isTrustedPeer('', true), true);
  t.equal(isTrustedPeer('10.1.2.3', false), false);
});
