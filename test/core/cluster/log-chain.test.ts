import { test } from 'tap';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { uuidBytes } from '../../../src/core/cluster/bytes.ts';
import { LogChain } from '../../../src/core/cluster/log-chain.ts';
import { EMPTY_LOG, type LogMark } from '../../../src/core/cluster/log-record.ts';
import { changesAfter, epochAfter, LOG_ID, recordAfter, shortLog, type TestRecord } from './records.ts';

const chainAt = (mark: LogMark): LogChain => new LogChain(uuidBytes(LOG_ID), mark, recordTools);

/** Returns how a chain judges records that are read after each other. */
function judge(chain: LogChain, records: readonly TestRecord[]): readonly string[] {
  return records.map(({ bytes }) => {
    const step = chain.read(bytes);
    return step.kind === 'fault' ? step.fault : step.kind;
  });
}

const [EPOCH, FIRST] = shortLog();

test('records that follow each other are valid', (t) => {
  const chain = chainAt(EMPTY_LOG);
  const second = changesAfter(FIRST.mark, 2);
  const next = epochAfter(second.mark, 2);
  t.same(judge(chain, [EPOCH, FIRST, second, next]), ['valid', 'valid', 'valid', 'valid']);
  t.same(chain.mark, next.mark);
  t.equal(chain.position, 4);
  t.end();
});

test('an append in flight that follows a takeover is void, for every reader', (t) => {
  // The old owner has 3 and 4 in flight. A takeover takes 3; the log refuses the old 3, and accepts the old 4.
  const old3 = changesAfter(FIRST.mark, 2);
  const old4 = changesAfter(old3.mark, 3);
  const takeover = epochAfter(FIRST.mark, 2);
  const chain = chainAt(FIRST.mark);
  t.same(judge(chain, [takeover, old4]), ['valid', 'void']);
  t.same(chain.mark, takeover.mark, 'the last valid record is the takeover');
  t.equal(chain.position, 4, 'the next record is the one after the void record');
  // The new owner had 4 and 5 in flight, of which the log accepts the second.
  const new4 = changesAfter(takeover.mark, 2);
  const new5 = changesAfter(new4.mark, 3);
  t.same(judge(chain, [new5]), ['void']);
  const renewed = epochAfter(takeover.mark, 3, 6);
  const next = changesAfter(renewed.mark, 2);
  t.same(judge(chain, [renewed, next]), ['valid', 'valid']);
  t.same(judge(chainAt(FIRST.mark), [takeover, old4, new5, renewed, next]), [
    'valid',
    'void',
    'void',
    'valid',
    'valid',
  ]);
  t.end();
});

test('a record that replaces the one before it breaks the chain', (t) => {
  const other = changesAfter(EPOCH.mark, 9);
  t.same(judge(chainAt(FIRST.mark), [changesAfter(other.mark, 2)]), ['broken-chain']);
  t.same(judge(chainAt(FIRST.mark), [epochAfter(other.mark, 2)]), ['broken-chain']);
  const earlier = recordAfter(FIRST.mark, { previous: EPOCH.mark });
  t.same(judge(chainAt(FIRST.mark), [earlier]), ['broken-chain'], 'a record of this epoch is missing');
  t.end();
});

test('an epoch begins with its record, once', (t) => {
  const cases = [
    recordAfter(FIRST.mark, { epoch: 2 }),
    epochAfter(FIRST.mark, 1),
    recordAfter(FIRST.mark, { position: 9 }),
  ];
  for (const record of cases) t.same(judge(chainAt(FIRST.mark), [record]), ['broken-chain']);
  t.end();
});

test('a record with a fault is not read', (t) => {
  const chain = chainAt(FIRST.mark);
  const record = changesAfter(FIRST.mark, 2);
  const other = recordAfter(FIRST.mark, { logId: uuidBytes('0198c0de-0000-7000-8000-0000000000bb') });
  t.same(judge(chain, [other]), ['other-log']);
  t.same(judge(chain, [{ ...record, bytes: record.bytes.subarray(1) }]), ['damaged']);
  t.equal(chain.position, FIRST.mark.position);
  t.same(judge(chain, [record]), ['valid']);
  t.end();
});
