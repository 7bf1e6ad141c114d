import type { JsMsg } from '@nats-io/jetstream';
import type { BusEvent, Delivery } from '../../core/ports/bus.ts';
import type { Parsed } from '../../core/wire/json-text.ts';
import { readText } from './message-text.ts';

const NANOS_PER_MS = 1e6;

/** Conversion of a stream's messages to deliveries. */
export interface DeliveryParser<Message> {
  readonly parse: (text: string) => Parsed<Message>;
  /** Returns the contradiction between subject and message; null if there is none. */
  readonly subjectFault: (subject: string, message: Message) => string | null;
  readonly changed: (event: BusEvent) => void;
}

/**
 * Parses a message of a stream and calls `deliver`. An invalid message is discarded immediately and reported, because a
 * redelivery would fail again. Never throws.
 */
export function receive<Message>(
  message: JsMsg,
  door: DeliveryParser<Message>,
  deliver: (delivery: Delivery<Message>) => void,
): void {
  const { subject } = message;
  const read = readMessage(message, door);
  if (!read.ok) {
    message.term();
    door.changed({ type: 'poisoned', subject, reason: read.reason });
    return;
  }
  try {
    deliver({
      message: read.value,
      storedAt: Math.floor(message.info.timestampNanos / NANOS_PER_MS),
      deliveryNumber: message.info.deliveryCount,
      acknowledge: () => message.ack(),
      discard: () => message.term(),
    });
  } catch (error) {
    door.changed({ type: 'listenerFailed', subject, error });
  }
}

function readMessage<Message>(message: JsMsg, door: DeliveryParser<Message>): Parsed<Message> {
  const parsed = readText(message.data, door.parse);
  if (!parsed.ok) return parsed;
  const fault = door.subjectFault(message.subject, parsed.value);
  return fault === null ? parsed : { ok: false, reason: `subject: ${fault}` };
}
