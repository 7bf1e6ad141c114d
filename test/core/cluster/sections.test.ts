import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { NONCE_BYTES, type CommitWindow } from '../../../src/core/cluster/log-record.ts';
import {
  encodeCauses,
  encodeOwner,
  encodeSections,
  encodeWindows,
  readCauses,
  readOwner,
  readSections,
  readWindows,
  SECTION_TYPES,
} from '../../../src/core/cluster/sections.ts';
import { causesOf, windowOf } from './records.ts';

const WINDOWS = [windowOf(1), { ...windowOf(2, ''), causes: new Uint8Array() }, windowOf(3)];
const BODY = encodeWindows(WINDOWS);

const plainWindow = (window: CommitWindow): unknown => ({
  ...window,
  causes: readCauses(window.causes, recordTools),
  changes: [...window.changes],
});
const plain = (body: Uint8Array): unknown => readWindows(body)?.map(plainWindow) ?? null;

const EXPECTED = WINDOWS.map(plainWindow);

test('commit windows round-trip with their causes', (t) => {
  t.same(plain(BODY), EXPECTED);
  t.same(
    WINDOWS.map(({ causes }) => readCauses(causes, recordTools)),
    [causesOf(1), [], causesOf(3)],
  );
  t.same(plain(encodeWindows([])), []);
  t.end();
});

test('sections of unknown types are skipped', (t) => {
  const unknown = [SECTION_TYPES.patch, 999].map((type) => ({ type, content: Uint8Array.of(1, 2) }));
  const sections = (readSections(BODY) ?? []).flatMap((section) => [...unknown, section, ...unknown]);
  t.same(plain(encodeSections(sections)), EXPECTED);
  t.end();
});

test('a header of a window may have more fields than this version knows', (t) => {
  const sections = (readSections(BODY) ?? []).map(({ type, content }) => ({
    type,
    content: type === SECTION_TYPES.window ? Uint8Array.of(...content, 5, 5) : content,
  }));
  t.same(plain(encodeSections(sections)), EXPECTED);
  t.end();
});

test('a body that is cut off is not read', (t) => {
  const ends = new Set<number>([0]);
  let at = 0;
  for (const { type, content } of readSections(BODY) ?? []) {
    at += 8 + content.length;
    if (type === SECTION_TYPES.changes) ends.add(at);
  }
  for (let length = 0; length < BODY.length; length++) {
    const isComplete = readWindows(BODY.subarray(0, length)) !== null;
    if (isComplete !== ends.has(length)) t.fail(`${length} bytes are ${isComplete ? 'read' : 'refused'}`);
  }
  t.equal(ends.size, WINDOWS.length + 1);
  t.end();
});

test('a body whose sections do not fit together is not read', (t) => {
  const [window, cause, , changes] = readSections(BODY) ?? [];
  if (window === undefined || cause === undefined || changes === undefined) throw new Error('incomplete');
  for (const sections of [[cause], [changes], [window], [window, changes, changes]])
    t.equal(readWindows(encodeSections(sections)), null);
  t.end();
});

test('a text that is too long for its length is cut at a character', (t) => {
  const cause = { kind: 'k', id: `${'x'.repeat(65_534)}ü`, requestId: 'r', principal: 'p' };
  t.same(readCauses(encodeCauses([cause, cause], recordTools), recordTools), [
    { ...cause, id: 'x'.repeat(65_534) },
    { ...cause, id: 'x'.repeat(65_534) },
  ]);
  t.end();
});

test('causes round-trip, and a part of them is not mistaken for all', (t) => {
  const text = fc.string({ unit: 'binary', maxLength: 40, size: 'max' });
  const causes = fc.array(
    fc.record({ kind: text, id: text, requestId: text, principal: text }, { noNullPrototype: true }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(causes, fc.nat(), (some, cutAt) => {
      const bytes = encodeCauses(some, recordTools);
      assert.deepEqual(readCauses(bytes, recordTools), some);
      const cut = readCauses(bytes.subarray(0, cutAt % (bytes.length + 1)), recordTools);
      assert.ok(cut === null || cut.length <= some.length);
      assert.deepEqual(cut ?? [], some.slice(0, cut?.length ?? 0));
    }),
  );
  t.end();
});

test('a cause after the changes of its window is refused', (t) => {
  const [window, cause, , changes] = readSections(BODY) ?? [];
  if (window === undefined || cause === undefined || changes === undefined) throw new Error('incomplete');
  t.equal(readWindows(encodeSections([window, changes, cause])), null);
  t.end();
});

test('the owner of an epoch round-trips', (t) => {
  const owner = { node: 'knoten-ü', nonce: Uint8Array.from({ length: NONCE_BYTES }, (_, at) => at) };
  const read = readOwner(encodeOwner(owner, recordTools), recordTools);
  t.same(read === null ? null : { node: read.node, nonce: [...read.nonce] }, {
    node: owner.node,
    nonce: [...owner.nonce],
  });
  t.equal(readOwner(BODY, recordTools), null);
  t.end();
});
