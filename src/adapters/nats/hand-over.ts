import type { NatsConnection } from '@nats-io/transport-node';
import { flag, literal, messageParser, optional, record, text } from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { clusterNames } from './log/cluster-names.ts';
import { readText } from './message-text.ts';

/** Request to the owner of a cluster to hand the log over. */
interface HandOverRequest {
  readonly v: 1;
  /** The next owner; absent: the owner chooses one that is current. */
  readonly to?: string;
}

/** Answer of the owner, before it hands over. */
export interface HandOverAnswer {
  readonly v: 1;
  readonly is_accepted: boolean;
  /** One line: who gets the log, or why it is not handed over. */
  readonly text: string;
}

const NAME = text(WIRE_LIMITS.name, 1);
const limits = { length: WIRE_LIMITS.statusText, nesting: 2 };
const parseRequest = messageParser(record<HandOverRequest>({ v: literal(1), to: optional(NAME) }), limits);
const parseAnswer = messageParser(
  record<HandOverAnswer>({ v: literal(1), is_accepted: flag, text: text(WIRE_LIMITS.statusText) }),
  limits,
);

/** Time for the owner to accept. */
const ANSWER_MS = 5_000;

/**
 * Asks the owner to hand the log over to a node, or to one of its choice.
 *
 * @throws Error without an owner that answers.
 */
export async function requestHandOver(
  streams: NatsConnection,
  cluster: string,
  to: string | null,
): Promise<HandOverAnswer> {
  const request: HandOverRequest = { v: 1, ...(to === null ? {} : { to }) };
  const { data } = await streams.request(clusterNames(cluster).handOver, JSON.stringify(request), {
    timeout: ANSWER_MS,
  });
  const read = readText(data, parseAnswer);
  if (!read.ok) throw new Error(`the answer of the owner cannot be read: ${read.reason}`);
  return read.value;
}

/** Reads a request at the owner. Returns the node that is to get the log, null for any, or why it cannot be read. */
export function readHandOver(
  payload: Uint8Array,
): { readonly to: string | null } | { readonly fault: string } {
  const read = readText(payload, parseRequest);
  return read.ok ? { to: read.value.to ?? null } : { fault: read.reason };
}

/** Returns the text of an answer. */
export const handOverAnswer = (isAccepted: boolean, line: string): string => {
  const answer: HandOverAnswer = { v: 1, is_accepted: isAccepted, text: line };
  return JSON.stringify(answer);
};
