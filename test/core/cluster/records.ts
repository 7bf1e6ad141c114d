import { randomBytes } from 'node:crypto';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { uuidBytes } from '../../../src/core/cluster/bytes.ts';
import {
  EMPTY_LOG,
  NONCE_BYTES,
  type CommitWindow,
  type LogMark,
  type RecordContent,
} from '../../../src/core/cluster/log-record.ts';
import type { RecordTools } from '../../../src/core/ports/record-tools.ts';
import type { WorkCause } from '../../../src/core/records/work-cause.ts';
import { encodeRecord } from '../../../src/core/cluster/record-codec.ts';
import { splitBody } from '../../../src/core/cluster/record-bodies.ts';
import { encodeCauses, encodeOwner, encodeWindows } from '../../../src/core/cluster/sections.ts';

/** Record tools for changes that are texts or random bytes. */
export const textTools: RecordTools = { ...recordTools, formatOf: () => 1 };

export const LOG_ID = '0198c0de-0000-7000-8000-0000000000aa';

export const causesOf = (number: number): readonly WorkCause[] => [
  { kind: 'lease.request', id: `m-${number}`, requestId: 'r-ü-1', principal: 'worker w-1' },
  { kind: 'timer', id: '', requestId: '', principal: '' },
];

export const windowOf = (number: number, text = `decision ${number}`): CommitWindow => ({
  timeMs: 1_800_000_000_000 + number,
  shard: 3,
  number,
  causes: encodeCauses(causesOf(number), recordTools),
  changes: recordTools.encodeText(text),
});

/** A record with its bytes, and the mark for the next one. */
export interface TestRecord {
  readonly bytes: Uint8Array;
  readonly mark: LogMark;
}

/** Returns a record after `previous`, at the next position unless `content` names another. */
export function recordAfter(previous: LogMark, content: Partial<RecordContent>): TestRecord {
  const whole: RecordContent = {
    format: 1,
    kind: 'heartbeat',
    logId: uuidBytes(LOG_ID),
    epoch: previous.epoch,
    position: previous.position + 1,
    previous,
    part: 0,
    isCompressed: false,
    bodyLength: content.body?.length ?? 0,
    body: new Uint8Array(),
    ...content,
  };
  const { bytes, digest } = encodeRecord(whole, recordTools);
  return { bytes, mark: { position: whole.position, epoch: whole.epoch, digest } };
}

export function epochAfter(previous: LogMark, epoch: number, position = previous.position + 1): TestRecord {
  const body = encodeOwner({ node: 'node b', nonce: randomBytes(NONCE_BYTES) }, recordTools);
  return recordAfter(previous, { kind: 'epoch', epoch, position, body });
}

export function changesAfter(previous: LogMark, number: number): TestRecord {
  const [body] = splitBody(encodeWindows([windowOf(number)]), 1, recordTools);
  if (body === undefined) throw new Error('a body has at least one record');
  return recordAfter(previous, body);
}

/** A log of one epoch with a decision. */
export function shortLog(): readonly [TestRecord, TestRecord] {
  const epoch = epochAfter(EMPTY_LOG, 1);
  return [epoch, changesAfter(epoch.mark, 1)];
}
