import { test } from 'tap';
import {
  clockLead,
  clockRefusal,
  clockWarnings,
  formatRefusal,
  formatWarnings,
  nameRefusal,
  type HeardFacts,
} from '../../../src/core/cluster/peer-facts.ts';

const NOW = 1_000_000;

/** Facts of a node whose clock is `leadMs` ahead, heard in an exchange of `tookMs`. */
const heard = (node: string, leadMs: number, tookMs = 10, formats = { record: 1, state: 2 }): HeardFacts => ({
  facts: {
    node,
    instance: `of ${node}`,
    version: '9.9.9',
    recordFormat: formats.record,
    stateFormat: formats.state,
    timeMs: NOW + tookMs / 2 + leadMs,
  },
  askedMs: NOW,
  receivedMs: NOW + tookMs,
});

test('a slow exchange explains a difference of the clocks', async (t) => {
  t.equal(clockLead(heard('b', 4_000, 10_000)), 0);
  t.equal(clockLead(heard('b', 6_000, 10_000)), 1_000);
  t.equal(clockLead(heard('b', -6_000, 10_000)), -1_000);
});

test('the node whose clock differs from both others does not start', async (t) => {
  t.equal(clockRefusal('a', [heard('b', 1_900), heard('c', -1_900)]), null);
  t.match(
    clockRefusal('a', [heard('b', 5_000), heard('c', 5_100)]),
    /clock of node a .* \(b 5\.0 s ahead, c 5\.1 s ahead\)/,
  );
  t.match(clockRefusal('a', [heard('b', -5_000), heard('c', -5_100)]), /b 5\.0 s behind/);
  t.equal(clockRefusal('a', [heard('b', 5_000), heard('c', 0)]), null, 'the clock of b is wrong');
});

test('two nodes with different clocks do not run together', async (t) => {
  t.match(clockRefusal('a', [heard('b', 2_100)]), /clock of node a differs/);
  t.match(clockRefusal('a', [heard('b', 3_000)]), /b 3\.0 s ahead/);
  t.equal(clockRefusal('a', [heard('b', 1_900)]), null);
  t.equal(clockRefusal('a', []), null, 'the first node has no other clock');
});

test('a running node warns of each clock that is far away', async (t) => {
  t.same(clockWarnings('a', [heard('b', 1_000), heard('c', 0)]), []);
  t.match(clockWarnings('a', [heard('b', -3_000), heard('c', 0)]), [
    /^the clock of node b is 3\.0 s behind of that of node a/,
  ]);
});

test('a node that cannot read the records of another does not start', async (t) => {
  const known = { record: 1, state: 2 };
  t.equal(formatRefusal(known, [heard('b', 0)]), null);
  t.equal(formatRefusal({ record: 2, state: 2 }, [heard('b', 0)]), null, 'N reads N-1');
  t.match(
    formatRefusal(known, [heard('b', 0, 10, { record: 2, state: 2 })]),
    /node b \(version 9\.9\.9\) writes records of format 2, and this version reads up to format 1: upgrade/,
  );
  t.same(formatWarnings(known, [heard('b', 0)]), []);
  t.match(formatWarnings(known, [heard('b', 0, 10, { record: 1, state: 3 })]), [
    /store of node b .* format 3/,
  ]);
});

test('a node does not start under the name of a running one', async (t) => {
  t.equal(nameRefusal({ node: 'a', instance: 'of a' }, [heard('a', 0), heard('b', 0)]), null);
  t.match(nameRefusal({ node: 'a', instance: 'new' }, [heard('a', 0)]), /another process runs as node a/);
});
