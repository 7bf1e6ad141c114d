import type { ForwardedRequest, ForwardedResponse } from '../../core/cluster/forwarded-http.ts';
import {
  checked,
  integer,
  list,
  literal,
  messageParser,
  record,
  text,
  variant,
} from '../../core/wire/field-readers.ts';
import { readText } from '../nats/message-text.ts';

/**
 * Messages of a forwarded request: a head as JSON with its length in front, and a piece of a body. The version is in the
 * first message of each side.
 */
const VERSION = 1;
const LENGTH_BYTES = 4;
/** Characters of a head: the request heads that the engines accept, escaped. */
const HEAD_MAX = 1024 * 1024;
const TEXT_MAX = 256 * 1024;
const HEADERS_MAX = 500;
/** Bytes of a body in one message; a message of the bus has at most 1 MiB by default. */
export const PIECE_BYTES = 256 * 1024;
const BODY_MAX = 1024 * 1024 * 1024;

const encoder = new TextEncoder();

/** First message to the owner. A body that does not fit follows in pieces to the subject that the owner names. */
export interface RequestHead extends Omit<ForwardedRequest, 'body' | 'headers'> {
  readonly v: typeof VERSION;
  readonly headers: readonly string[];
  readonly bytes: number;
}

export type AnswerHead =
  /** The owner expects the pieces of the body at this subject. */
  | { readonly type: 'send'; readonly to: string }
  /** Sent each second while the owner works. */
  | { readonly type: 'working' }
  /** The request was not accepted and has no effect. */
  | { readonly type: 'refused'; readonly reason: string }
  /** `bytes` is the length of the body, -1 without a body. Its pieces follow. */
  | {
      readonly type: 'response';
      readonly v: typeof VERSION;
      readonly status: number;
      readonly headers: readonly string[];
      readonly bytes: number;
    }
  | { readonly type: 'piece' };

/** Returns a message of a head and a piece of a body. */
export function encodeFrame(head: object, piece: Uint8Array = new Uint8Array()): Uint8Array {
  const headBytes = encoder.encode(JSON.stringify(head));
  const frame = new Uint8Array(LENGTH_BYTES + headBytes.length + piece.length);
  new DataView(frame.buffer).setUint32(0, headBytes.length);
  frame.set(headBytes, LENGTH_BYTES);
  frame.set(piece, LENGTH_BYTES + headBytes.length);
  return frame;
}

export const requestFrame = ({ body, headers: pairs, ...head }: ForwardedRequest): Uint8Array =>
  encodeFrame(
    { ...head, v: VERSION, headers: flat(pairs), bytes: body.length } satisfies RequestHead,
    body.length <= PIECE_BYTES ? body : undefined,
  );

/** Returns the messages of a response. */
export function* responseFrames({ status, headers: pairs, body }: ForwardedResponse): Generator<Uint8Array> {
  const bytes = body === null ? -1 : body.length;
  const head: AnswerHead = { type: 'response', v: VERSION, status, headers: flat(pairs), bytes };
  const whole = body ?? new Uint8Array();
  yield encodeFrame(head, whole.subarray(0, PIECE_BYTES));
  for (let at = PIECE_BYTES; at < whole.length; at += PIECE_BYTES)
    yield encodeFrame({ type: 'piece' } satisfies AnswerHead, whole.subarray(at, at + PIECE_BYTES));
}

/** Returns the pieces of a body that is too long for the first message; none for a shorter one. */
export function* bodyPieces(body: Uint8Array): Generator<Uint8Array> {
  if (body.length <= PIECE_BYTES) return;
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

/** Names and values in turn. */
const headers = checked(list(text(TEXT_MAX), 2 * HEADERS_MAX), (read) =>
  read.length % 2 === 0 ? null : 'must have a value for each name',
);

const flat = (pairs: ForwardedRequest['headers']): readonly string[] => pairs.flat();

/** Returns the headers of a head. */
export const pairsOf = (texts: readonly string[]): ForwardedRequest['headers'] =>
  texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1] ?? ''] as const] : []));

const limits = { length: HEAD_MAX, nesting: 4 };

const parseRequest = messageParser(
  record<RequestHead>({
    v: literal(VERSION),
    method: text(TEXT_MAX),
    path: text(TEXT_MAX),
    query: text(TEXT_MAX),
    headers,
    remoteAddress: text(TEXT_MAX),
    bytes: integer(0, BODY_MAX),
  }),
  limits,
);

type Answer<Type extends AnswerHead['type']> = Extract<AnswerHead, { type: Type }>;

const parseAnswer = messageParser(
  variant<AnswerHead>('type', {
    send: record<Answer<'send'>>({ type: literal('send'), to: text(TEXT_MAX) }),
    working: record<Answer<'working'>>({ type: literal('working') }),
    refused: record<Answer<'refused'>>({ type: literal('refused'), reason: text(TEXT_MAX) }),
    response: record<Answer<'response'>>({
      type: literal('response'),
      v: literal(VERSION),
      status: integer(100, 599),
      headers,
      bytes: integer(-1, BODY_MAX),
    }),
    piece: record<Answer<'piece'>>({ type: literal('piece') }),
  }),
  limits,
);

interface Frame<Head> {
  readonly head: Head;
  /** Valid as long as the message. */
  readonly piece: Uint8Array;
}

export const readRequestFrame = (frame: Uint8Array): Frame<RequestHead> | string => read(frame, parseRequest);

/** Returns the reason for a message that is not valid. */
export const readAnswerFrame = (frame: Uint8Array): Frame<AnswerHead> | string => read(frame, parseAnswer);

function read<Head>(frame: Uint8Array, parse: Parameters<typeof readText<Head>>[1]): Frame<Head> | string {
  if (frame.length < LENGTH_BYTES) return 'the message is shorter than its length field';
  const length = new DataView(frame.buffer, frame.byteOffset).getUint32(0);
  if (length > frame.length - LENGTH_BYTES) return 'the message ends within its head';
  const parsed = readText(frame.subarray(LENGTH_BYTES, LENGTH_BYTES + length), parse);
  return parsed.ok ? { head: parsed.value, piece: frame.subarray(LENGTH_BYTES + length) } : parsed.reason;
}
