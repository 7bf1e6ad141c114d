import type { JsMsg } from '@nats-io/jetstream';
import type { BusEvent, Delivery } from '../../core/ports/bus.ts';
import type { Parsed } from '../../core/wire/json-text.ts';
import type { RefusalReason, SubjectFault } from '../../core/wire/sender-check.ts';
import { readText } from './message-text.ts';

const NANOS_PER_MS = 1e6;

/** Conversion of a stream's messages to deliveries. */
export interface DeliveryParser<Message> {
  readonly parse: (text: string) => Parsed<Message>;
  /** Returns the contradiction between subject and message; null if there is none. */
  readonly subjectFault: (subject: string, message: Message) => SubjectFault | null;
  readonly changed: (event: BusEvent) => void;
  readonly refused: (reason: RefusalReason, subject: string) => void;
}

/**
 * Parses a message of a stream and calls `deliver`. An invalid or refused message is discarded immediately and reported, because
 * a redelivery would fail again. Never throws.
 */
export function receive<Message>(
  message: JsMsg,
  door: DeliveryParser<Message>,
  deliver: (delivery: Delivery<Message>) => void,
): void {
  const { subject } = message;
  const parsed = readText(message.data, door.parse);
  if (!parsed.ok) {
    discard(message, door, parsed.reason);
    return;
  }
  const fault = door.subjectFault(subject, parsed.value);
  if (fault?.kind === 'invalid') {
    discard(message, door, `subject: ${fault.reason}`);
    return;
  }
  if (fault !== null) {
    message.term();
    door.refused(fault.reason, subject);
    return;
  }
  try {
    deliver({
      message: parsed.value,
      storedAt: Math.floor(message.info.timestampNanos / NANOS_PER_MS),
      deliveryNumber: message.info.deliveryCount,
      acknowledge: () => message.ack(),
      discard: () => message.term(),
    });
  } catch (error) {
    door.changed({ type: 'listenerFailed', subject, error });
  }
}

function discard(message: JsMsg, door: Pick<DeliveryParser<never>, 'changed'>, reason: string): void {
  message.term();
  door.changed({ type: 'poisoned', subject: message.subject, reason });
}
