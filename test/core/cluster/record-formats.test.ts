import { test } from 'tap';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { encodeChangeSet } from '../../../src/adapters/lmdb/change-set-codec.ts';
import { EMPTY_LOG } from '../../../src/core/cluster/log-record.ts';
import { LogNode } from '../../../src/core/cluster/log-node.ts';
import { readRecord } from '../../../src/core/cluster/record-codec.ts';
import { FIRST_FORMAT, formatOfTable, RECORD_FORMAT } from '../../../src/core/cluster/record-formats.ts';
import { remove } from '../../../src/core/records/change-set.ts';
import { TABLE_NAMES, type TableName } from '../../../src/core/records/tables.ts';
import { LOG_ID } from './records.ts';

const setOf = (...tables: readonly TableName[]): Uint8Array =>
  new Uint8Array(
    encodeChangeSet({
      version: 1,
      shard: 0,
      sequence: 1,
      changes: tables.map((table) => remove(table, `row of ${table}`)),
    }),
  );

test('each table has a format that this version writes', (t) => {
  const formats = TABLE_NAMES.map((_, at) => formatOfTable(at));
  t.equal(formats[0], FIRST_FORMAT);
  t.equal(formats.at(-1), RECORD_FORMAT);
  t.same(formats, [...formats].sort(), 'later tables have later formats');
  t.throws(() => formatOfTable(TABLE_NAMES.length), RangeError, 'a new table needs a format of its own');
  t.end();
});

test('a change set has the format of its newest table', (t) => {
  t.equal(recordTools.formatOf(setOf()), FIRST_FORMAT);
  for (const [at, table] of TABLE_NAMES.entries()) {
    t.equal(recordTools.formatOf(setOf(table)), formatOfTable(at), table);
    t.equal(recordTools.formatOf(setOf('farm', table, 'job')), formatOfTable(at), `${table} among others`);
  }
  t.end();
});

test('an owner writes each record in the lowest format that can express it', (t) => {
  let nowMs = 0;
  const node = new LogNode({
    node: 'a',
    logId: LOG_ID,
    mark: EMPTY_LOG,
    tools: recordTools,
    nonce: () => new Uint8Array(16),
  });
  const formats: number[] = [];
  const handle = (input: Parameters<LogNode['handle']>[0]): void => {
    for (const effect of node.handle(input, nowMs)) {
      if (effect.type === 'read') {
        nowMs += 100;
        handle({ type: 'tail.read', records: [], first: 1, last: 0, isFromLeader: true });
      }
      if (effect.type !== 'append') continue;
      const read = readRecord(effect.bytes, recordTools);
      formats.push('record' in read ? read.record.format : -1);
      handle({ type: 'append.stored', append: effect.append, position: effect.position });
    }
  };
  handle({ type: 'time.passed' });
  t.equal(node.state, 'owner');
  for (const [entry, tables] of ([['farm'], ['auditDecision'], ['job']] as const).entries())
    handle({
      type: 'entry.submitted',
      entry,
      windows: [{ timeMs: 1, shard: 0, number: entry, causes: new Uint8Array(), changes: setOf(...tables) }],
    });
  t.same(formats, [FIRST_FORMAT, FIRST_FORMAT, RECORD_FORMAT, FIRST_FORMAT]);
  t.end();
});
