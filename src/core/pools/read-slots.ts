import { parseJsonText } from '../wire/json-text.ts';

/** The number of slots in the output of a source, or the fault of the output, as a clause. */
export type ReadSlots =
  | { readonly ok: true; readonly slots: number }
  | { readonly ok: false; readonly reason: string };

/** Maximum number of slots: that of `max_concurrent`. */
const SLOTS_MAX = 2_147_483_647;
const SHOWN_MAX = 60;
const JSON_LIMITS = { length: 65_536, nesting: 8 } as const;

/**
 * Reads what a source of a usage pool wrote: a whole number from 0 to 2147483647, or a JSON object with such a number as
 * `slots`. White space around it is ignored.
 */
export function readSlots(output: string): ReadSlots {
  const text = output.trim();
  if (text === '') return { ok: false, reason: 'the output is empty: a whole number was expected' };
  const slots = /^[0-9]{1,10}$/.test(text) ? Number(text) : slotsOfJson(text);
  return typeof slots === 'number' && Number.isSafeInteger(slots) && slots >= 0 && slots <= SLOTS_MAX
    ? { ok: true, slots }
    : { ok: false, reason: `the output is not a whole number from 0 to ${SLOTS_MAX}: ${shown(text)}` };
}

/** Returns `slots` of a JSON object; null for any other text. */
function slotsOfJson(text: string): unknown {
  const { ok, ...read } = parseJsonText(text, JSON_LIMITS);
  if (!ok || !('value' in read)) return null;
  const { value } = read;
  return typeof value === 'object' && value !== null && 'slots' in value ? value.slots : null;
}

const shown = (text: string): string =>
  JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text);
