import { test } from 'tap';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { readRecord } from '../../../src/core/cluster/record-codec.ts';
import { encodeSuccessor, readSuccessor } from '../../../src/core/cluster/sections.ts';
import { acceptedIn, appendsOf, endOf, firstAppend, NodeBench, type Append } from './node-bench.ts';
import { epochAfter, recordAfter, shortLog, type TestRecord } from './records.ts';

const [EPOCH, FIRST] = shortLog();
const LOG = [EPOCH, FIRST];

/** Returns the name in a hand-over record; null if it is another record. */
function successorIn({ bytes }: Append): string | null {
  const read = readRecord(bytes, recordTools);
  if ('fault' in read || read.record.kind !== 'hand-over') return null;
  return readSuccessor(read.record.body, recordTools);
}

const handOverAfter = (previous: TestRecord, node: string): TestRecord =>
  recordAfter(previous.mark, { kind: 'hand-over', body: encodeSuccessor(node, recordTools) });

const handOver = (bench: NodeBench): ReturnType<NodeBench['give']> =>
  bench.give({ type: 'hand-over.requested', successor: 'node b' });

test('an idle owner hands the log over, and ends when the record is in it', (t) => {
  const bench = new NodeBench([]);
  bench.becomeOwner();
  const append = firstAppend(handOver(bench));
  t.equal(successorIn(append), 'node b');
  t.equal(bench.node.state, 'leaving');
  t.notOk(bench.canAnswer, 'it sends no output from then on');
  t.equal(bench.node.leaseUntilMs, -Infinity);
  const effects = bench.store(append, 5);
  t.equal(endOf(effects), 'handed-over');
  t.equal(bench.node.state, 'released');
  t.equal(bench.node.dueMs, Infinity);
  t.end();
});

test('an owner accepts its earlier entries before, and no later one', (t) => {
  const bench = new NodeBench([]);
  bench.becomeOwner();
  const entry = firstAppend(bench.submit(1));
  t.same(appendsOf(handOver(bench)), [], 'an entry is in flight');
  t.same(appendsOf(bench.submit(2)), [], 'a later entry is not appended');
  const effects = bench.store(entry, 5);
  t.same(acceptedIn(effects), [1]);
  const append = firstAppend(effects);
  t.equal(successorIn(append), 'node b');
  t.same(acceptedIn(bench.store(append, 5)), []);
  t.end();
});

test('an owner finds its hand-over record in the log, or sends it again', (t) => {
  for (const isStored of [true, false]) {
    const bench = new NodeBench([]);
    bench.becomeOwner();
    const append = firstAppend(handOver(bench));
    if (isStored) {
      bench.keep(append);
      const successor = epochAfter(EPOCH.mark, 2);
      bench.log.push(successor.bytes);
    }
    bench.give({ type: 'append.unanswered', append: append.append }, 1000);
    const effects = bench.read();
    if (isStored) t.equal(endOf(effects), 'handed-over', 'what follows is no longer read');
    else t.same(firstAppend(effects).bytes, append.bytes);
  }
  t.end();
});

test('only the named follower takes over at once', (t) => {
  for (const name of ['node a', 'node c']) {
    const bench = new NodeBench([...LOG, handOverAfter(FIRST, name)]);
    bench.wait(0);
    const appends = appendsOf(bench.read(1));
    t.equal(appends.length, name === 'node a' ? 1 : 0, name);
    t.equal(bench.node.state, name === 'node a' ? 'candidate' : 'follower');
  }
  t.end();
});

test('a hand-over that is not the last record has no effect', (t) => {
  const named = handOverAfter(FIRST, 'node a');
  const bench = new NodeBench([...LOG, named, epochAfter(named.mark, 2)]);
  bench.wait(0);
  t.same(appendsOf(bench.read(1)), []);
  t.equal(bench.node.state, 'follower');
  t.end();
});

test('only an owner can hand the log over', (t) => {
  const bench = new NodeBench(LOG);
  t.throws(() => handOver(bench), { message: 'a follower cannot hand the log over' });
  t.end();
});
