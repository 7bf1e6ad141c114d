import type { RecordTools } from '../ports/record-tools.ts';
import { joinBytes, viewOf } from './bytes.ts';
import { NONCE_BYTES, type CommitWindow, type EpochOwner, type WorkCause } from './log-record.ts';

/**
 * A body is a list of sections, little-endian: type u16, reserved u16, length u32, content. Readers skip types that
 * they do not know. A `window` begins a commit window; the causes and the changes after it belong to it.
 *
 * - `window`: time f64, number f64, shard u16;
 * - `cause`: four texts, each with its length as u16 before it: kind, id, request id, principal;
 * - `changes`: a change set;
 * - `patch`: reserved;
 * - `owner`: nonce, then the name of the node;
 * - `successor`: the name of the node that is to take over.
 */
export const SECTION_TYPES = { window: 1, cause: 2, changes: 3, patch: 4, owner: 5, successor: 6 } as const;

const SECTION_HEADER_BYTES = 8;
const WINDOW_BYTES = 18;
const LENGTH_BYTES = 2;
const MAX_TEXT_BYTES = 0xffff;

/** A section as it is stored. */
export interface Section {
  readonly type: number;
  readonly content: Uint8Array;
}

export function encodeSections(sections: readonly Section[]): Uint8Array {
  return joinBytes(
    sections.flatMap(({ type, content }) => {
      const header = new Uint8Array(SECTION_HEADER_BYTES);
      const view = viewOf(header);
      view.setUint16(0, type, true);
      view.setUint32(4, content.length, true);
      return [header, content];
    }),
  );
}

/** Returns null if the body is not a list of sections. */
export function readSections(body: Uint8Array): readonly Section[] | null {
  const view = viewOf(body);
  const sections: Section[] = [];
  let at = 0;
  while (at < body.length) {
    const start = at + SECTION_HEADER_BYTES;
    if (start > body.length) return null;
    const end = start + view.getUint32(at + 4, true);
    if (end > body.length) return null;
    sections.push({ type: view.getUint16(at, true), content: body.subarray(start, end) });
    at = end;
  }
  return sections;
}

/** Returns the body of a record of commit windows. */
export const encodeWindows = (windows: readonly CommitWindow[], tools: RecordTools): Uint8Array =>
  encodeSections(
    windows.flatMap((window) => [
      { type: SECTION_TYPES.window, content: encodeWindowHeader(window) },
      ...window.causes.map((cause) => ({ type: SECTION_TYPES.cause, content: encodeCause(cause, tools) })),
      { type: SECTION_TYPES.changes, content: window.changes },
    ]),
  );

/** Returns null if the body is not one of commit windows. */
export function readWindows(body: Uint8Array, tools: RecordTools): readonly CommitWindow[] | null {
  const sections = readSections(body);
  if (sections === null) return null;
  const windows: { header: WindowHeader; causes: WorkCause[]; changes: Uint8Array | null }[] = [];
  for (const { type, content } of sections) {
    const window = windows.at(-1);
    if (type === SECTION_TYPES.window) {
      const header = readWindowHeader(content);
      if (header === null) return null;
      windows.push({ header, causes: [], changes: null });
    } else if (type === SECTION_TYPES.cause) {
      const cause = readCause(content, tools);
      if (cause === null || window === undefined) return null;
      window.causes.push(cause);
    } else if (type === SECTION_TYPES.changes) {
      if (window === undefined || window.changes !== null) return null;
      window.changes = content;
    }
  }
  const complete: CommitWindow[] = [];
  for (const { header, causes, changes } of windows) {
    if (changes === null) return null;
    complete.push({ ...header, causes, changes });
  }
  return complete;
}

/** Returns the body of an epoch record. */
export const encodeOwner = ({ node, nonce }: EpochOwner, tools: RecordTools): Uint8Array =>
  encodeSections([{ type: SECTION_TYPES.owner, content: joinBytes([nonce, tools.encodeText(node)]) }]);

/** Returns null if the body does not name an owner. */
export function readOwner(body: Uint8Array, tools: RecordTools): EpochOwner | null {
  const content = readSections(body)?.find(({ type }) => type === SECTION_TYPES.owner)?.content;
  if (content === undefined || content.length < NONCE_BYTES) return null;
  return {
    nonce: content.subarray(0, NONCE_BYTES),
    node: tools.decodeText(content.subarray(NONCE_BYTES)),
  };
}

/** Returns the body of a hand-over record. */
export const encodeSuccessor = (node: string, tools: RecordTools): Uint8Array =>
  encodeSections([{ type: SECTION_TYPES.successor, content: tools.encodeText(node) }]);

/** Returns the name in the body of a hand-over record; null if the body does not contain one. */
export function readSuccessor(body: Uint8Array, tools: RecordTools): string | null {
  const content = readSections(body)?.find(({ type }) => type === SECTION_TYPES.successor)?.content;
  return content === undefined ? null : tools.decodeText(content);
}

type WindowHeader = Pick<CommitWindow, 'timeMs' | 'shard' | 'number'>;

function encodeWindowHeader({ timeMs, shard, number }: WindowHeader): Uint8Array {
  const content = new Uint8Array(WINDOW_BYTES);
  const view = viewOf(content);
  view.setFloat64(0, timeMs, true);
  view.setFloat64(8, number, true);
  view.setUint16(16, shard, true);
  return content;
}

/** A later version may append fields. */
function readWindowHeader(content: Uint8Array): WindowHeader | null {
  if (content.length < WINDOW_BYTES) return null;
  const view = viewOf(content);
  return {
    timeMs: view.getFloat64(0, true),
    number: view.getFloat64(8, true),
    shard: view.getUint16(16, true),
  };
}

const encodeCause = ({ kind, id, requestId, principal }: WorkCause, tools: RecordTools): Uint8Array =>
  joinBytes([kind, id, requestId, principal].flatMap((text) => encodeText(text, tools)));

/** Texts that are too long are cut: they only describe. */
function encodeText(text: string, tools: RecordTools): readonly Uint8Array[] {
  const bytes = tools.encodeText(text).subarray(0, MAX_TEXT_BYTES);
  const length = new Uint8Array(LENGTH_BYTES);
  viewOf(length).setUint16(0, bytes.length, true);
  return [length, bytes];
}

function readCause(content: Uint8Array, tools: RecordTools): WorkCause | null {
  const view = viewOf(content);
  const texts: string[] = [];
  let at = 0;
  while (texts.length < 4) {
    const start = at + LENGTH_BYTES;
    if (start > content.length) return null;
    const end = start + view.getUint16(at, true);
    if (end > content.length) return null;
    texts.push(tools.decodeText(content.subarray(start, end)));
    at = end;
  }
  const [kind = '', id = '', requestId = '', principal = ''] = texts;
  return { kind, id, requestId, principal };
}
