import type { RecordTools } from '../ports/record-tools.ts';
import type { WorkCause } from '../records/work-cause.ts';
import { joinBytes, viewOf } from './bytes.ts';
import { NONCE_BYTES, type CommitWindow, type EpochOwner } from './log-record.ts';

/**
 * A body is a list of sections, little-endian: type u16, reserved u16, length u32, content. Readers skip types that
 * they do not know. A `window` begins a commit window; the causes and then the changes after it belong to it.
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
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const UTF8_BYTES_MAX = 3;

/** A section as it is stored. */
export interface Section {
  readonly type: number;
  readonly content: Uint8Array;
}

export const encodeSections = (sections: readonly Section[]): Uint8Array =>
  joinBytes(sections.flatMap(piecesOf));

function piecesOf({ type, content }: Section): readonly Uint8Array[] {
  const header = new Uint8Array(SECTION_HEADER_BYTES);
  writeSectionHeader(viewOf(header), 0, type, content.length);
  return [header, content];
}

function writeSectionHeader(view: DataView, at: number, type: number, length: number): void {
  view.setUint16(at, type, true);
  view.setUint32(at + 4, length, true);
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
export const encodeWindows = (windows: readonly CommitWindow[]): Uint8Array =>
  joinBytes(
    windows.flatMap((window) => [
      ...piecesOf({ type: SECTION_TYPES.window, content: encodeWindowHeader(window) }),
      window.causes,
      ...piecesOf({ type: SECTION_TYPES.changes, content: window.changes }),
    ]),
  );

/** Returns null if the body is not one of commit windows. The result has views of the body. */
export function readWindows(body: Uint8Array): readonly CommitWindow[] | null {
  const sections = readSections(body);
  if (sections === null) return null;
  const windows: CommitWindow[] = [];
  let open: { readonly header: WindowHeader; readonly causesAt: number; causesEnd: number } | null = null;
  let end = 0;
  for (const { type, content } of sections) {
    end += SECTION_HEADER_BYTES + content.length;
    if (type === SECTION_TYPES.window) {
      const header = readWindowHeader(content);
      if (header === null || open !== null) return null;
      open = { header, causesAt: end, causesEnd: end };
    } else if (type === SECTION_TYPES.cause) {
      if (open === null) return null;
      open.causesEnd = end;
    } else if (type === SECTION_TYPES.changes) {
      if (open === null) return null;
      const { header, causesAt, causesEnd } = open;
      windows.push({ ...header, causes: body.subarray(causesAt, causesEnd), changes: content });
      open = null;
    }
  }
  return open === null ? windows : null;
}

/** Returns the causes of a commit window as sections, in a buffer of their own. */
export function encodeCauses(causes: readonly WorkCause[], tools: RecordTools): Uint8Array<ArrayBuffer> {
  const textsOfCauses = causes.map(textsOf);
  const lengthMax = textsOfCauses.reduce(
    (sum, texts) => sum + SECTION_HEADER_BYTES + texts.reduce(addTextBytes, 0),
    0,
  );
  const bytes = new Uint8Array(lengthMax);
  const view = viewOf(bytes);
  let end = 0;
  for (const texts of textsOfCauses) {
    const start = end;
    end += SECTION_HEADER_BYTES;
    for (const text of texts) {
      const textAt = end + LENGTH_BYTES;
      // A text that is too long is cut: it only describes.
      const length = tools.encodeInto(text, bytes.subarray(textAt, textAt + MAX_TEXT_BYTES));
      view.setUint16(end, length, true);
      end = textAt + length;
    }
    writeSectionHeader(view, start, SECTION_TYPES.cause, end - start - SECTION_HEADER_BYTES);
  }
  return bytes.slice(0, end);
}

/** Returns the causes of a commit window; null if its sections do not contain them. */
export function readCauses(bytes: Uint8Array, tools: RecordTools): readonly WorkCause[] | null {
  const sections = readSections(bytes);
  if (sections === null) return null;
  const causes: WorkCause[] = [];
  for (const { type, content } of sections) {
    if (type !== SECTION_TYPES.cause) continue;
    const cause = readCause(content, tools);
    if (cause === null) return null;
    causes.push(cause);
  }
  return causes;
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

const textsOf = ({ kind, id, requestId, principal }: WorkCause): readonly string[] => [
  kind,
  id,
  requestId,
  principal,
];

const addTextBytes = (sum: number, text: string): number =>
  sum + LENGTH_BYTES + Math.min(MAX_TEXT_BYTES, text.length * UTF8_BYTES_MAX);

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
