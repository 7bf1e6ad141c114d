import { PubHeaders } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { StoreOutcome } from '../../core/ports/bus.ts';
import {
  messageParser,
  flag,
  integer,
  optional,
  record,
  text as anyText,
} from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import { readText } from './message-text.ts';
import type { RequestMux } from './request-mux.ts';

interface PublishAck {
  readonly seq?: number;
  readonly duplicate?: boolean;
  readonly error?: { readonly description?: string };
}

const parseAck = messageParser(
  record<PublishAck>({
    seq: optional(integer(0, Number.MAX_SAFE_INTEGER)),
    duplicate: optional(flag),
    error: optional(
      record<{ readonly description?: string }>({ description: optional(anyText(WIRE_LIMITS.message)) }),
    ),
  }),
  { length: WIRE_LIMITS.cancelText, nesting: WIRE_LIMITS.nesting },
);

/**
 * Publishes a text to a stream and waits for its acknowledgment. `messageId` makes a repetition within the stream's
 * duplicate window a duplicate. `noResponders` means that no stream has the subject.
 */
export async function store(
  mux: RequestMux,
  subject: string,
  text: string,
  messageId?: string,
): Promise<StoreOutcome> {
  const question = { subject, timeoutMs: PUBLISH_LIMITS.acknowledgeMs, kind: 'store' };
  const answer = await mux.ask(
    messageId === undefined ? question : { ...question, headers: idHeader(messageId) },
    text,
  );
  if (answer.type !== 'answered') return answer;
  const ack = readText(answer.message.data, parseAck);
  if (!ack.ok) return { type: 'unreadable', reason: ack.reason };
  const { seq, duplicate, error } = ack.value;
  if (error !== undefined) return { type: 'refused', reason: error.description ?? 'no reason given' };
  if (seq === undefined) return { type: 'unreadable', reason: 'seq: is missing' };
  return { type: 'stored', streamSequence: seq, isDuplicate: duplicate ?? false };
}

function idHeader(messageId: string) {
  const result = headers();
  result.set(PubHeaders.MsgIdHdr, messageId);
  return result;
}
