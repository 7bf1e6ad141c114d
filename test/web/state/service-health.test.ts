import { test } from 'tap';
import { faultOf } from '../../../web/state/service-health.ts';

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
