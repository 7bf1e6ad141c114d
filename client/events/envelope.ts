/** Messages of the service on the event channel (docs/events.md, "Envelopes"). */
export type ServiceFrame =
  | {
      readonly type: 'ack';
      readonly subject: string;
      /** Newest event of the subject. */
      readonly seq: number;
      readonly clientSeq: number;
      /** Why the subject is rejected; empty if it is not. */
      readonly error: string;
    }
  | { readonly type: 'push'; readonly subject: string; readonly seq: number; readonly payload: object }
  | {
      readonly type: 'error';
      readonly subject: string;
      readonly seq: number;
      readonly code: string;
      readonly message: string;
    }
  | { readonly type: 'pong' };

/** Parses a message of the service; null if it is invalid or of an unknown type. */
export function readFrame(text: string): ServiceFrame | null {
  const envelope = objectIn(text);
  if (envelope === null) return null;
  const { type, subject, seq } = envelope;
  const payload = asObject(envelope['payload']);
  if (typeof subject !== 'string' || typeof seq !== 'number' || payload === null) return null;
  switch (type) {
    case 'ack': {
      const { client_seq: clientSeq, error } = payload;
      if (typeof clientSeq !== 'number' || typeof error !== 'string') return null;
      return { type, subject, seq, clientSeq, error };
    }
    case 'push':
      return { type, subject, seq, payload };
    case 'error': {
      const { code, message } = payload;
      if (typeof code !== 'string' || typeof message !== 'string') return null;
      return { type, subject, seq, code, message };
    }
    case 'pong':
      return { type };
    default:
      return null;
  }
}

/** Builds a subscription to the events after `sinceSeq`; 0 for all retained events. */
export const subscribeText = (subject: string, sinceSeq: number, seq: number): string =>
  JSON.stringify({ type: 'subscribe', subject, seq, payload: { since_seq: sinceSeq } });

export const unsubscribeText = (subject: string, seq: number): string =>
  JSON.stringify({ type: 'unsubscribe', subject, seq, payload: {} });

export const pingText = (seq: number): string =>
  JSON.stringify({ type: 'ping', subject: '', seq, payload: {} });

type Members = Readonly<Record<string, unknown>>;

function objectIn(text: string): Members | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

const asObject = (value: unknown): Members | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null;
