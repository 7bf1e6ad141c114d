import { test } from 'tap';
import { clientOf } from '../../../http/guards/client-address.ts';

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
    const headers = values.map((value) => ['x-forwarded-for', value] as const);
    t.equal(clientOf(peer, headers, true), client, values.join(' | '));
    t.equal(clientOf(peer, headers, false), peer, values.join(' | '));
  }
});
