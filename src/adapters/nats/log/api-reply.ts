/** The answer of the JetStream API to a request: its fields, or the error. */
export type ApiReply =
  | { readonly type: 'answer'; readonly fields: unknown }
  | { readonly type: 'error'; readonly code: number; readonly text: string };

/** Codes of errors of the JetStream API. */
export const API_ERRORS = {
  streamNotFound: 10_059,
  messageNotFound: 10_037,
  wrongLastSequence: 10_071,
  /** As `wrongLastSequence`, if the last sequence is not known yet. */
  wrongLastSequenceLater: 10_164,
} as const;

const decoder = new TextDecoder();

/** Reads the payload of a reply. One that is not JSON is an error with the code 0. */
export function readApiReply(payload: Uint8Array): ApiReply {
  const text = decoder.decode(payload);
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    return { type: 'error', code: 0, text: `an answer that is not JSON: ${text.slice(0, 80)}` };
  }
  const error = field(fields, 'error');
  if (error === undefined) return { type: 'answer', fields };
  return {
    type: 'error',
    code: numberField(error, 'err_code') ?? 0,
    text: textField(error, 'description') ?? 'no reason given',
  };
}

/** Returns a field of a value that is perhaps an object; undefined without this field. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

export function numberField(value: unknown, name: string): number | null {
  const found = field(value, name);
  return typeof found === 'number' ? found : null;
}

export function textField(value: unknown, name: string): string | null {
  const found = field(value, name);
  return typeof found === 'string' ? found : null;
}
