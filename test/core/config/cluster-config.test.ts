import { test } from 'tap';
import { readFlags } from '../../../src/core/config/flags.ts';
import { serverConfig } from '../../../src/core/config/server-config.ts';

const PEERS = 'a=10.0.0.1:6222,b=b.farm:6222,c=[fd00::3]:6222';

/** Returns the result of these flags. */
function resolved(...args: string[]): ReturnType<typeof serverConfig> {
  const flags = readFlags(args);
  if (!flags.ok) throw new Error(flags.lines.join('\n'));
  return serverConfig({ file: null, environment: {}, flags: flags.flags });
}

/** Returns the errors of a node with these flags in addition to valid ones, which they replace. */
function faults(...args: string[]): readonly string[] {
  const read = resolved('--cluster=farm', '--node=b', `--peers=${PEERS}`, '--cluster-secret-file=s', ...args);
  return read.ok ? [] : read.lines;
}

test('a node of a cluster has its peers, three copies of each stream and no single server', async (t) => {
  const read = resolved('--cluster', 'farm', '--node', 'b', '--peers', PEERS, '--cluster-secret-file', 's');
  t.match(read, {
    ok: true,
    values: {
      bus: { isSingleServer: false, replicas: 3 },
      cluster: {
        name: 'farm',
        node: 'b',
        peers: [
          { name: 'a', host: '10.0.0.1', port: 6222 },
          { name: 'b', host: 'b.farm', port: 6222 },
          { name: 'c', host: 'fd00::3', port: 6222 },
        ],
        secretFile: 's',
        serversSyncAlways: false,
      },
    },
  });
});

test('the keys of a cluster may be in the environment and in the file', async (t) => {
  const read = serverConfig({
    file: {
      path: 'callsheet.yaml',
      document: { cluster: { name: 'farm', peers: PEERS.split(','), secret_file: 's' } },
    },
    environment: { SVC_CLUSTER_NODE: 'c' },
    flags: [],
  });
  t.match(read, { ok: true, values: { cluster: { name: 'farm', node: 'c', secretFile: 's' } } });
});

test('a single node has no cluster', async (t) => {
  t.match(resolved(), {
    ok: true,
    values: { cluster: null, bus: { isSingleServer: true, replicas: null } },
  });
});

test('errors in the keys of a cluster name the key', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['--node=d', /^cluster\.node: d is not in cluster\.peers \(a, b, c\)$/],
    ['--peers=a=h:1,b=i:2', /^cluster\.peers: names 2 nodes; a cluster needs at least 3/],
    ['--peers=a=h:1,b=i:2,B=j:3', /^cluster\.peers: contains the node b twice$/],
    ['--peers=a=h:1,b=i:2,c=H:1', /^cluster\.peers: contains the address h:1 twice$/],
    ['--peers=a=h:1,b=i:2,c=j', /^cluster\.peers: must be NAME=HOST:PORT .* got "c=j"/],
    ['--peers=a=h:1,b=i:2,c.d=j:3', /^cluster\.peers: must be NAME=HOST:PORT .* got "c\.d=j:3"/],
    ['--peers=a=h:1,b=i:2,c=j:0', /^cluster\.peers: must be NAME=HOST:PORT/],
    ['--cluster=my farm', /^cluster\.name: must be 1 to 32 letters, digits, - or _/],
    ['--cluster=my.farm', /^cluster\.name: must be 1 to 32 letters, digits, - or _/],
    ['--cluster-secret-file=', /^cluster\.secret_file: must name the file/],
    ['--bus-url=nats://h:1', /^cluster\.secret_file: has no effect with bus\.url/],
    ['--bus-addr=0.0.0.0:6222', /^cluster\.peers: port 6222 of this node is also the port of bus\.addr/],
    ['--bus-replicas=1', /^bus\.replicas: must be from 3 to the number of nodes \(3\)/],
    ['--bus-replicas=5', /^bus\.replicas: must be from 3 to the number of nodes \(3\)/],
  ];
  for (const [flag, line] of cases) {
    const lines = faults(flag);
    t.equal(lines.length, 1, `${flag}: one error`);
    t.match(lines[0], line, flag);
  }
  const alone = resolved('--cluster-secret-file=s');
  t.match(alone, { ok: false, lines: [/^cluster\.name: must be set/] });
  const nameless = resolved('--cluster=farm', `--peers=${PEERS}`, '--cluster-secret-file=s');
  t.match(nameless, { ok: false, lines: [/^cluster\.node: must be the name of this node/] });
});

test('an external cluster needs no secret', async (t) => {
  const read = resolved('--cluster=farm', '--node=a', `--peers=${PEERS}`, '--bus-url=nats://h:1');
  t.match(read, { ok: true, values: { cluster: { secretFile: '' } } });
});
