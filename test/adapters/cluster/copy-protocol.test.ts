import { test } from 'tap';
import {
  encodeFrame,
  readCopyOffer,
  readCopyRequest,
  readFrame,
  readPieceRequest,
} from '../../../src/adapters/cluster/copy-protocol.ts';
import { appliedMarkRow, parseAppliedMark } from '../../../src/adapters/cluster/applied-mark.ts';

test('frames of a copy are read as they were written', (t) => {
  const piece = {
    kind: 'piece',
    size: 5_000_000_000,
    digest: Buffer.alloc(32, 3),
    bytes: Buffer.from('pages'),
  } as const;
  for (const frame of [{ kind: 'waiting' } as const, { kind: 'refused', reason: 'ü' } as const, piece])
    t.same(readFrame(encodeFrame(frame)), frame);
  for (const bytes of [new Uint8Array(), Uint8Array.of(9), encodeFrame(piece).subarray(0, 40)])
    t.equal(readFrame(bytes), null);
  t.end();
});

test('messages of a copy of another version, or with wrong fields, are not read', (t) => {
  const bytes = (message: object): Uint8Array => Buffer.from(JSON.stringify(message));
  const request = { v: 1, node: 'a', logId: 'l' } as const;
  const offer = { v: 1, node: 'a', copy: 'c' } as const;
  const piece = { v: 1, copy: 'c', at: 7 } as const;
  t.same(readCopyRequest(bytes(request)), request);
  t.same(readCopyOffer(bytes(offer)), offer);
  t.same(readPieceRequest(bytes(piece)), piece);
  t.equal(readCopyRequest(bytes({ ...request, v: 2 })), null);
  t.equal(readCopyOffer(bytes({ ...offer, copy: 7 })), null);
  for (const at of [-1, 0.5, '7', null]) t.equal(readPieceRequest(bytes({ ...piece, at })), null);
  t.equal(readPieceRequest(Uint8Array.of(0xff)), null);
  t.end();
});

test('the mark of a store is read as it was written', (t) => {
  const logId = '0198c0de-0000-7000-8000-000000000026';
  const digest = Uint8Array.from({ length: 32 }, (_, at) => at * 7);
  const stored = { logId, mark: { position: 2 ** 40, epoch: 17, digest } };
  const { value } = appliedMarkRow(stored);
  t.same(parseAppliedMark(value), stored);
  for (const text of ['', `${value}00`, value.replace('1 ', '2 '), value.replace(' 17 ', ' x ')])
    t.equal(parseAppliedMark(text), null);
  t.end();
});
