import { test } from 'tap';
import {
  isOwning,
  isTerminal,
  nextState,
  NODE_TRANSITIONS,
  type NodeEvent,
  type NodeState,
} from '../../../src/core/cluster/node-states.ts';

const STATES: readonly NodeState[] = [
  'follower',
  'candidate',
  'owner',
  'suspended',
  'renewing',
  'leaving',
  'released',
  'fenced',
  'failed',
];
const EVENTS: readonly NodeEvent[] = [
  'owner-silent',
  'named',
  'acknowledged',
  'epoch-stored',
  'overtaken',
  'lease-expired',
  'displaced',
  'handing-over',
  'handed-over',
  'superseded',
  'unreadable',
];

/** Rows of docs/decisions/replicated-log.md#states. */
const ROWS: readonly (readonly [NodeState, NodeEvent, NodeState])[] = [
  ['follower', 'owner-silent', 'candidate'],
  ['follower', 'named', 'candidate'],
  ['candidate', 'acknowledged', 'owner'],
  ['candidate', 'epoch-stored', 'suspended'],
  ['candidate', 'overtaken', 'follower'],
  ['owner', 'lease-expired', 'suspended'],
  ['owner', 'displaced', 'renewing'],
  ['owner', 'superseded', 'fenced'],
  ['owner', 'handing-over', 'leaving'],
  ['suspended', 'acknowledged', 'owner'],
  ['suspended', 'displaced', 'renewing'],
  ['suspended', 'superseded', 'fenced'],
  ['renewing', 'acknowledged', 'owner'],
  ['renewing', 'epoch-stored', 'suspended'],
  ['renewing', 'overtaken', 'renewing'],
  ['renewing', 'superseded', 'fenced'],
  ['leaving', 'handed-over', 'released'],
  ['leaving', 'displaced', 'renewing'],
  ['leaving', 'superseded', 'fenced'],
  ...(['follower', 'candidate', 'owner', 'suspended', 'renewing', 'leaving'] as const).map(
    (state) => [state, 'unreadable', 'failed'] as const,
  ),
];

test('the states of a node change as documented, and in no other way', (t) => {
  for (const from of STATES)
    for (const event of EVENTS) {
      const to = ROWS.find(([state, trigger]) => state === from && trigger === event)?.[2];
      t.equal(NODE_TRANSITIONS[from][event], to, `${from}: ${event}`);
      if (to === undefined) t.throws(() => nextState(from, event), RangeError);
      else t.equal(nextState(from, event), to);
    }
  t.end();
});

test('states without an exit are terminal', (t) => {
  for (const state of STATES)
    t.equal(isTerminal(state), Object.keys(NODE_TRANSITIONS[state]).length === 0, state);
  t.same(STATES.filter(isOwning), ['owner', 'suspended', 'renewing', 'leaving']);
  t.end();
});
