import { test } from 'tap';
import { LivenessGate } from '../../../daemons/threads/liveness-gate.ts';

test('the silence of workers counts only while their messages arrive and may be answered', (t) => {
  const calls: string[] = [];
  const taken = (): string[] => calls.splice(0);
  const gate = new LivenessGate({
    suspendLiveness: () => calls.push('suspend'),
    resumeLiveness: () => calls.push('resume'),
  });
  t.strictSame(taken(), ['suspend'], 'before the bus is ready');
  gate.changed({ isBusReady: true });
  t.strictSame(taken(), ['resume'], 'a single node may always answer');
  gate.changed({ mayAnswer: false });
  t.strictSame(taken(), ['suspend']);
  gate.changed({ isBusReady: true });
  t.strictSame(taken(), ['suspend'], 'a new connection does not help a node that may not own the farms');
  gate.changed({ isBusReady: false });
  gate.changed({ mayAnswer: true });
  t.strictSame(taken(), ['suspend', 'suspend']);
  gate.changed({ isBusReady: true });
  t.strictSame(taken(), ['resume']);
  t.end();
});
