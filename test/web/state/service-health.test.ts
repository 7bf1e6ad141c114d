import { test } from 'tap';
import type { ClusterStanding, Readiness } from '../../../client/resources.ts';
import { faultOf, nodeText } from '../../../web/state/service-health.ts';

const FILE = { file_bytes: 0, page_bytes: 0, used_pages: 0, free_pages: 0 };
const answer = (store: string, bus: string, stopping = false) => ({
  status: store === 'ok' && bus === 'ok' && !stopping ? ('ok' as const) : ('degraded' as const),
  checks: { store, bus },
  details: { stopping, store: { state: FILE, logs: FILE } },
});

void test('a server that is not ready has a fault with its reason', async (t) => {
  t.equal(faultOf(undefined), null, 'unknown');
  t.equal(faultOf(answer('ok', 'ok')), null);
  t.match(faultOf(answer('ok', 'no answer within 5 s')), {
    label: 'Bus down',
    sentence: /^The server cannot reach the bus: no answer within 5 s\. /,
  });
  t.match(faultOf(answer('closed', 'no answer')), { label: 'Store down', sentence: /: closed\.$/ });
  t.match(faultOf(answer('ok', 'ok', true)), { label: 'Stopping' });
});

const STANDING: ClusterStanding = {
  name: 'farm',
  node: 'b',
  role: 'follower',
  owner: 'a',
  epoch: 3,
  position: 100,
  lag_records: 0,
  lag_ms: 4,
  is_current: true,
};
const ofNode = (cluster: ClusterStanding, check = 'ok'): Readiness => ({
  status: check === 'ok' ? 'ok' : 'degraded',
  checks: { store: 'ok', bus: 'ok', cluster: check },
  details: { stopping: false, store: { state: FILE, logs: FILE }, cluster },
});

void test('a node of a cluster tells its role, and whether it has an owner and is current', async (t) => {
  t.equal(faultOf(ofNode(STANDING)), null);
  t.equal(nodeText(ofNode(STANDING)), 'Node b of cluster farm: follower, owner a, lag 4 ms.');
  t.equal(nodeText(ofNode({ ...STANDING, role: 'owner' })), 'Node b of cluster farm: owner.');
  t.equal(nodeText(answer('ok', 'ok')), '', 'a single node');
  const { owner: _owner, ...ownerless } = STANDING;
  t.match(faultOf(ofNode(ownerless)), { label: 'No owner', sentence: /^No node owns the cluster\./ });
  t.match(faultOf(ofNode({ ...STANDING, is_current: false }, '7 records behind')), {
    label: 'Stale',
    sentence: 'Node b does not follow the owner of the cluster. Data may be old: 7 records behind.',
  });
});
