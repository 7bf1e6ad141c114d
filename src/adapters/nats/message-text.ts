import type { Parsed } from '../../core/wire/json-text.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a payload, which has to be UTF-8. Never throws. */
export function readText<T>(payload: Uint8Array, parse: (text: string) => Parsed<T>): Parsed<T> {
  let text: string;
  try {
    text = decoder.decode(payload);
  } catch {
    return { ok: false, reason: 'message: not valid UTF-8' };
  }
  return parse(text);
}
