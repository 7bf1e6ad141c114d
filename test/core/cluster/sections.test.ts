import { test } from 'tap';
import { recordTools } from '../../../src/adapters/cluster/record-tools.ts';
import { NONCE_BYTES } from '../../../src/core/cluster/log-record.ts';
import {
  encodeOwner,
  encodeSections,
  encodeWindows,
  readOwner,
  readSections,
  readWindows,
  SECTION_TYPES,
} from '../../../src/core/cluster/sections.ts';
import { windowOf } from './records.ts';

const WINDOWS = [windowOf(1), { ...windowOf(2, ''), causes: [] }, windowOf(3)];
const BODY = encodeWindows(WINDOWS, recordTools);

const plain = (body: Uint8Array): unknown =>
  readWindows(body, recordTools)?.map((window) => ({ ...window, changes: [...window.changes] })) ?? null;

const EXPECTED = WINDOWS.map((window) => ({ ...window, changes: [...window.changes] }));

test('commit windows round-trip with their causes', (t) => {
  t.same(plain(BODY), EXPECTED);
  t.same(plain(encodeWindows([], recordTools)), []);
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
    const isComplete = readWindows(BODY.subarray(0, length), recordTools) !== null;
    if (isComplete !== ends.has(length)) t.fail(`${length} bytes are ${isComplete ? 'read' : 'refused'}`);
  }
  t.equal(ends.size, WINDOWS.length + 1);
  t.end();
});

test('a body whose sections do not fit together is not read', (t) => {
  const [window, cause, , changes] = readSections(BODY) ?? [];
  if (window === undefined || cause === undefined || changes === undefined) throw new Error('incomplete');
  for (const sections of [[cause], [changes], [window], [window, changes, changes]])
    t.equal(readWindows(encodeSections(sections), recordTools), null);
  t.end();
});

test('a text that is too long for its length is cut', (t) => {
  const [first] = WINDOWS;
  if (first === undefined) throw new Error('no window');
  const cause = { kind: 'k', id: 'x'.repeat(70_000), requestId: 'r', principal: 'p' };
  const [read] = readWindows(encodeWindows([{ ...first, causes: [cause] }], recordTools), recordTools) ?? [];
  t.same(read?.causes, [{ ...cause, id: 'x'.repeat(65_535) }]);
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
