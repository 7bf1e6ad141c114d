import { test } from 'tap';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { EMPTY_LOG, type LogRecord } from '../../../src/core/cluster/log-record.ts';
import { readRecord } from '../../../src/core/cluster/record-codec.ts';
import { readOwner } from '../../../src/core/cluster/sections.ts';
import { changesAfter, epochAfter, recordAfter, shortLog, windowOf } from './records.ts';
import { acceptedIn, appendsOf, endOf, firstAppend, NodeBench, type Append } from './node-bench.ts';

function recordOf({ bytes }: Append): LogRecord {
  const read = readRecord(bytes, recordTools);
  if ('fault' in read) throw new Error(read.fault);
  return read.record;
}

const [EPOCH, FIRST] = shortLog();
const LOG = [EPOCH, FIRST];

test('a follower applies the log in order and continues to read', (t) => {
  const bench = new NodeBench(LOG);
  t.same(bench.wait(0), [{ type: 'read', from: 1 }]);
  const effects = bench.read();
  t.same(
    effects.map((effect) =>
      effect.type === 'apply' ? [effect.mark.position, effect.windows.length] : effect,
    ),
    [[1, 0], [2, 1], { type: 'read', from: 3 }],
  );
  const applied = effects[1];
  t.same(applied?.type === 'apply' ? applied.windows[0]?.causes : null, windowOf(1).causes);
  t.same(applied?.type === 'apply' ? applied.mark : null, FIRST.mark);
  t.end();
});

test('a follower takes over after reading nothing new for two seconds', (t) => {
  const bench = new NodeBench(LOG);
  bench.wait(0);
  bench.read();
  for (let at = 0; at < 9; at++) t.same(appendsOf(bench.read(200)), [], `after ${200 * (at + 1)} ms`);
  const append = firstAppend(bench.read(200));
  t.equal(bench.node.state, 'candidate');
  t.equal(append.position, 3);
  const { epoch, previous, body } = recordOf(append);
  t.equal(epoch, 2);
  t.same([...previous.digest], [...FIRST.mark.digest]);
  t.equal(readOwner(body, recordTools)?.node, 'node a');
  t.notOk(bench.canAnswer, 'not before the acknowledgement');
  bench.store(append, 5);
  t.equal(bench.node.state, 'owner');
  t.equal(bench.node.epoch, 2);
  t.ok(bench.canAnswer);
  t.end();
});

test('a new record, a stall of the log, and an unreachable log postpone a takeover', (t) => {
  for (const postpone of ['record', 'stall', 'unreachable'] as const) {
    const bench = new NodeBench(LOG);
    bench.wait(0);
    bench.read();
    for (let at = 0; at < 9; at++) bench.read(200);
    if (postpone === 'record') bench.log.push(recordAfter(FIRST.mark, {}).bytes);
    if (postpone === 'unreachable') {
      bench.give({ type: 'tail.unreachable' }, 700);
      bench.wait(100);
    }
    bench.read(postpone === 'stall' ? 800 : 200);
    for (let at = 0; at < 9; at++) t.same(appendsOf(bench.read(200)), [], `${postpone}: ${200 * at} ms`);
    t.equal(appendsOf(bench.read(200)).length, 1, postpone);
  }
  t.end();
});

test('a pause of a follower is not silence of the owner', (t) => {
  const bench = new NodeBench(LOG);
  bench.wait(0);
  bench.read();
  t.same(appendsOf(bench.wait(60_000)), []);
  t.same(appendsOf(bench.read()), []);
  t.equal(bench.node.state, 'follower');
  t.end();
});

test('entries are accepted in order, when all records up to them are acknowledged', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  const [one, two] = [firstAppend(bench.submit(1)), firstAppend(bench.submit(2))];
  t.same([one.position, two.position], [4, 5]);
  bench.keep(one);
  bench.keep(two);
  t.same(acceptedIn(bench.acknowledge(two)), [], 'the first one has no outcome');
  t.same(acceptedIn(bench.acknowledge(one)), [1, 2]);
  t.same(acceptedIn(bench.acknowledge(one)), [], 'a second result changes nothing');
  t.end();
});

test('at most four records are in flight', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  const appends = [1, 2, 3, 4, 5, 6].flatMap((entry) => appendsOf(bench.submit(entry)));
  t.equal(appends.length, 4);
  const [first] = appends;
  if (first === undefined) throw new Error('nothing was appended');
  t.same(
    appendsOf(bench.store(first)).map(({ position }) => position),
    [8],
  );
  t.end();
});

test('a long entry is accepted with its closing part, and nothing is appended between its parts', (t) => {
  const bench = new NodeBench(LOG, EMPTY_LOG, { recordBytes: 400 });
  bench.becomeOwner();
  const text = Array.from({ length: 900 }, (_, at) => (at * 7919).toString(36)).join('');
  let open = appendsOf(bench.submit(1, text));
  bench.submit(2, 'x');
  const kinds: string[] = [];
  while (open.length > 0) {
    const [append, ...others] = open;
    if (append === undefined) break;
    kinds.push(recordOf(append).kind);
    const effects = bench.store(append, 10);
    const accepted = acceptedIn(effects);
    if (accepted.length > 0) kinds.push(`accepted ${accepted.join(' ')}`);
    open = [...others, ...appendsOf(effects)].slice(0, accepted.includes(2) ? 0 : undefined);
  }
  const parts = kinds.filter((kind) => kind === 'part').length;
  t.ok(parts > 4, `${parts} parts`);
  t.same(kinds.slice(0, parts + 2), [...Array<string>(parts).fill('part'), 'changes', 'accepted 1']);
  const reader = new NodeBench([]);
  reader.log.push(...bench.log);
  reader.wait(0);
  const windows = reader.read().flatMap((effect) => (effect.type === 'apply' ? effect.windows : []));
  t.ok(
    windows.some(({ changes }) => recordTools.decodeText(changes) === text),
    'a reader joins them',
  );
  t.end();
});

test('an idle owner appends a heartbeat every half second', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  t.same(appendsOf(bench.wait(499)), []);
  const heartbeat = firstAppend(bench.wait(1));
  t.equal(recordOf(heartbeat).kind, 'heartbeat');
  t.same(appendsOf(bench.wait(100)), [], 'one at a time');
  bench.store(heartbeat);
  t.equal(bench.node.dueMs, bench.nowMs - 100 + 500, 'the next one is due');
  t.end();
});

test('the lease counts from the first send of the record that was acknowledged last', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  const sentMs = bench.nowMs + 500;
  const heartbeat = firstAppend(bench.wait(500));
  bench.give({ type: 'append.unanswered', append: heartbeat.append }, 900);
  const again = firstAppend(bench.read(20));
  t.equal(again.bytes, heartbeat.bytes, 'the identical record is sent again');
  t.equal(again.position, heartbeat.position);
  t.not(again.append, heartbeat.append);
  bench.store(again, 30);
  t.equal(bench.nowMs - sentMs, 950);
  t.ok(bench.canAnswer);
  t.ok(bench.node.canAnswer(sentMs + 1499));
  t.notOk(bench.node.canAnswer(sentMs + 1500), 'although it was sent again later');
  t.end();
});

test('an owner without an acknowledgement is suspended, and reading the log proves no ownership', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  const entry = firstAppend(bench.submit(1));
  bench.keep(entry);
  bench.wait(1500);
  t.equal(bench.node.state, 'suspended');
  const effects = bench.read(50);
  t.same(acceptedIn(effects), [], 'its record is in the log, but the owner may be another one by now');
  t.equal(bench.node.state, 'suspended');
  const heartbeat = firstAppend(effects);
  t.equal(recordOf(heartbeat).kind, 'heartbeat');
  t.same(acceptedIn(bench.store(heartbeat, 10)), [1], 'a new acknowledgement proves it');
  t.equal(bench.node.state, 'owner');
  t.end();
});

test('an acknowledgement that arrives after the lease gives no lease', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  const entry = firstAppend(bench.submit(1));
  const effects = bench.store(entry, 1500);
  t.same(acceptedIn(effects), []);
  t.equal(bench.node.state, 'suspended');
  t.end();
});

test('an owner that finds void records begins an epoch and appends its entries again', (t) => {
  const bench = new NodeBench(LOG);
  const takeover = bench.becomeCandidate();
  // The earlier owner has 3 and 4 in flight. The takeover is at 3, and the log accepts the 4 of the earlier owner.
  const old4 = changesAfter(changesAfter(FIRST.mark, 2).mark, 3);
  bench.store(takeover);
  const appends = [firstAppend(bench.submit(1)), firstAppend(bench.submit(2))] as const;
  bench.log.push(old4.bytes);
  bench.refuse(appends[0]);
  // The log accepts the second one, because its last position is 4.
  bench.keep(appends[1]);
  const effects = bench.read(50);
  t.equal(bench.node.state, 'renewing');
  t.notOk(bench.canAnswer);
  const renewal = firstAppend(effects);
  t.same([renewal.position, recordOf(renewal).epoch], [6, 3]);
  t.same(
    acceptedIn(bench.acknowledge(appends[1])),
    [],
    'the result of an append before the epoch is ignored',
  );
  const again = appendsOf(bench.store(renewal));
  t.same(
    again.map(({ position }) => position),
    [7],
    'both entries have one record',
  );
  t.same(
    again.map((append) => recordOf(append).epoch),
    [3],
  );
  t.same(
    again.flatMap((append) => acceptedIn(bench.store(append))),
    [1, 2],
  );
  const reader = new NodeBench([]);
  reader.log.push(...bench.log);
  reader.wait(0);
  const windows = reader.read().flatMap((effect) => (effect.type === 'apply' ? effect.windows : []));
  t.same(
    windows.map(({ number }) => number),
    [1, 1, 2],
    'a reader sees each entry once',
  );
  t.end();
});

test('the result of an append is not that of another append at its position', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  const entry = firstAppend(bench.submit(1));
  bench.give({ type: 'append.unanswered', append: entry.append });
  const again = firstAppend(bench.read(10));
  bench.keep(entry);
  // The second one is refused, because the first one was stored after all.
  bench.refuse(again);
  t.same(acceptedIn(bench.read(200)), [1], 'the record is in the log');
  t.equal(bench.node.state, 'owner');
  t.end();
});

test('two candidates never have equal records', (t) => {
  const [a, b] = [new NodeBench(LOG), new NodeBench(LOG)];
  const first = a.becomeCandidate();
  b.becomeCandidate();
  const again = firstAppend(
    ((): ReturnType<NodeBench['give']> => {
      b.log.push(epochAfter(FIRST.mark, 2).bytes);
      b.give({ type: 'append.refused', append: 1 });
      b.read(100);
      for (let at = 0; at < 9; at++) b.read(200);
      return b.read(200);
    })(),
  );
  t.notSame(recordOf(first).body, recordOf(again).body);
  t.equal(recordOf(again).epoch, 3);
  t.end();
});

test('a candidate that was overtaken follows', (t) => {
  const bench = new NodeBench(LOG);
  const append = bench.becomeCandidate();
  const other = epochAfter(FIRST.mark, 2);
  bench.log.push(other.bytes);
  bench.refuse(append);
  const effects = bench.read(20);
  t.equal(bench.node.state, 'follower');
  t.same(
    effects.filter((effect) => effect.type === 'apply').map(({ mark }) => mark),
    [other.mark],
  );
  t.throws(() => bench.submit(1), { message: 'entry 1 was submitted to a follower' });
  t.end();
});

test('a candidate without an answer finds its record, and then needs an acknowledgement', (t) => {
  const bench = new NodeBench(LOG);
  const append = bench.becomeCandidate();
  bench.keep(append);
  bench.give({ type: 'append.unanswered', append: append.append }, 1000);
  const effects = bench.read(10);
  t.equal(bench.node.state, 'suspended');
  bench.store(firstAppend(effects));
  t.equal(bench.node.state, 'owner');
  t.end();
});

test('an owner that finds the epoch of another node ends', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  const entry = firstAppend(bench.submit(1));
  const { epoch, digest } = recordOf({ ...entry, bytes: bench.log[2] ?? new Uint8Array() });
  bench.log.push(epochAfter({ position: 3, epoch, digest }, 3).bytes);
  bench.refuse(entry);
  t.equal(endOf(bench.read(10)), 'fenced');
  t.equal(bench.node.state, 'fenced');
  t.same(bench.wait(10_000), [], 'it does nothing any more');
  t.equal(bench.node.dueMs, Infinity);
  t.end();
});

test('a node refuses a log with a fault', (t) => {
  const cases = [
    ['damaged', [EPOCH, { ...FIRST, bytes: FIRST.bytes.map((byte) => byte ^ 1) }]],
    ['broken-chain', [EPOCH, changesAfter(FIRST.mark, 2)]],
  ] as const;
  for (const [reason, log] of cases) {
    const bench = new NodeBench(log);
    bench.wait(0);
    t.equal(endOf(bench.read()), reason);
    t.equal(bench.node.state, 'failed');
  }
  t.end();
});

test('a node refuses a log that lacks the next record', (t) => {
  const bench = new NodeBench(LOG);
  bench.wait(0);
  const records = [{ position: 2, bytes: FIRST.bytes }];
  t.equal(
    endOf(bench.give({ type: 'tail.read', records, first: 2, last: 2, isFromLeader: true })),
    'behind',
    'it was removed: a snapshot is needed',
  );
  const other = new NodeBench(LOG);
  other.wait(0);
  t.equal(
    endOf(other.give({ type: 'tail.read', records, first: 1, last: 2, isFromLeader: true })),
    'broken-chain',
  );
  t.end();
});

test('a node refuses a log whose leader has lost records that it has read', (t) => {
  for (const isFromLeader of [true, false]) {
    const bench = new NodeBench(LOG, FIRST.mark);
    bench.wait(0);
    bench.log.length = 1;
    let reason: string | undefined;
    for (let at = 0; at < 201; at++) {
      t.equal(reason, undefined, `after ${100 * at} ms`);
      reason = endOf(bench.read(0, isFromLeader));
      bench.wait(100);
    }
    t.equal(reason, isFromLeader ? 'log-shorter' : undefined, 'a copy may be old');
  }
  t.end();
});

test('a log that stores an append at another position is refused', (t) => {
  const bench = new NodeBench(LOG);
  const { append } = bench.becomeCandidate();
  t.equal(endOf(bench.give({ type: 'append.stored', append, position: 9 })), 'broken-chain');
  t.end();
});

test('a takeover within the lease of an owner cannot be configured', (t) => {
  t.throws(() => new NodeBench(LOG, EMPTY_LOG, { takeoverMs: 1500 }), {
    message: 'a takeover after 1500 ms is within a lease of 1500 ms',
  });
  t.end();
});

test('an entry that was found by reading is accepted before the mark of a later epoch', (t) => {
  const bench = new NodeBench(LOG);
  bench.becomeOwner();
  const entry = firstAppend(bench.submit(1));
  bench.keep(entry);
  // An append of the earlier owner, in flight until now.
  const late = recordAfter({ ...FIRST.mark, position: entry.position }, {});
  bench.log.push(late.bytes);
  bench.give({ type: 'append.unanswered', append: entry.append }, 1600);
  const epoch = firstAppend(bench.read());
  t.equal(bench.node.state, 'renewing');
  const marks = bench.store(epoch).flatMap((effect) => {
    if (effect.type === 'accept') return [`entry ${effect.entries.join()} at ${effect.mark.position}`];
    return effect.type === 'apply' ? [`mark ${effect.mark.position}`] : [];
  });
  t.same(marks, [`entry 1 at ${entry.position}`, `mark ${epoch.position}`]);
  t.end();
});

test('entries that wait for a place have one record', (t) => {
  const bench = new NodeBench([], undefined, { inFlight: 2, groupBytes: 25 });
  bench.becomeOwner();
  const appends = [1, 2, 3, 4, 5, 6].flatMap((entry) => appendsOf(bench.submit(entry)));
  const [first, second] = appends;
  if (first === undefined || second === undefined) throw new Error('two records are in flight');
  t.equal(appends.length, 2);
  const effects = bench.store(first);
  t.same(acceptedIn(effects), [1]);
  const third = firstAppend(effects);
  const fourth = firstAppend(bench.store(second));
  // Each decision has 10 bytes.
  t.same(acceptedIn(bench.store(third)), [3, 4, 5], 'until the record has its size');
  t.same(acceptedIn(bench.store(fourth)), [6]);
  const follower = new NodeBench([]);
  follower.log.push(...bench.log);
  follower.wait(0);
  const numbers = follower
    .read()
    .flatMap((effect) => (effect.type === 'apply' ? effect.windows.map(({ number }) => number) : []));
  t.same(numbers, [1, 2, 3, 4, 5, 6]);
  t.end();
});
