import { ExprFailure } from '../expr-failure.ts';
import { positionAt } from '../text/code-points.ts';
import { SubstringSearch } from '../text/substring-search.ts';
import { textOf } from '../values/arguments.ts';
import type { Call } from './call.ts';
import { chargeSearch } from './charges.ts';
import { signature, type Signature } from './signature.ts';

/** Steps per occurrence that is found or replaced. */
const STEPS_OF_OCCURRENCE = 2;
const STEPS_OF_REPLACEMENT = 4;

/** Maximum number of characters of a text in an error message. */
const MAX_SHOWN = 100;

/** Returns the code point position of the first or last occurrence, or -1. */
function positionOf(name: string, call: Call, text: string, sub: string, fromRight: boolean): number {
  if (sub === '') throw new ExprFailure(`${name} failed: empty substring`);
  chargeSearch(call, text, sub);
  const offset = new SubstringSearch(text, sub, fromRight).next(fromRight ? text.length : 0);
  return offset < 0 ? -1 : positionAt(text, offset);
}

const finding = (name: string, doc: string, fromRight: boolean): Signature =>
  signature(`${name}(s: string, sub: string) -> int`, doc, (call, s, sub) =>
    positionOf(name, call, textOf(s), textOf(sub), fromRight),
  );

const indexing = (name: string, doc: string, fromRight: boolean): Signature =>
  signature(`${name}(s: string, sub: string) -> int`, doc, (call, s, sub) => {
    const sought = textOf(sub);
    const position = positionOf(name, call, textOf(s), sought, fromRight);
    if (position >= 0) return position;
    const shown = sought.length > MAX_SHOWN ? `${sought.slice(0, MAX_SHOWN)}…` : sought;
    throw new ExprFailure(`${name} failed: substring '${shown}' not found`);
  });

/** Counts the occurrences without overlap, from the left. */
function countOccurrences(search: SubstringSearch, sub: string): number {
  let count = 0;
  for (let at = search.next(0); at >= 0; at = search.next(at + sub.length)) count += 1;
  return count;
}

function replaced(call: Call, text: string, old: string, by: string): string {
  if (old === '') throw new ExprFailure('replace failed: empty old string');
  chargeSearch(call, text, old);
  const search = new SubstringSearch(text, old);
  const count = countOccurrences(search, old);
  if (count === 0) return text;
  const units = text.length + count * (by.length - old.length);
  call.reserveString(units);
  call.chargeSteps(count * STEPS_OF_REPLACEMENT);
  // The growth of the text is charged as well.
  if (units > text.length) call.chargeText(units - text.length);
  if (search.quick) return text.replaceAll(old, () => by);
  const pieces: string[] = [];
  let end = 0;
  for (let at = search.next(0); at >= 0; at = search.next(end)) {
    pieces.push(text.slice(end, at));
    end = at + old.length;
  }
  pieces.push(text.slice(end));
  return pieces.join(by);
}

/** Reports whether `sub` occurs in `text`. */
export function contains(call: Call, text: string, sub: string): boolean {
  chargeSearch(call, text, sub);
  call.chargeText(Math.min(text.length, sub.length));
  return sub === '' || new SubstringSearch(text, sub).next(0) >= 0;
}

/**
 * Functions that search a text in a string (specification "Expression Language", section 2.2.4). Positions count code
 * points.
 */
export const SEARCH_FUNCTIONS: readonly Signature[] = [
  signature(
    'startswith(s: string, prefix: string) -> bool',
    'True if the string starts with a prefix.',
    (call, s, prefix) => {
      const text = textOf(s);
      call.chargeText(text.length);
      return text.startsWith(textOf(prefix));
    },
  ),
  signature(
    'endswith(s: string, suffix: string) -> bool',
    'True if the string ends with a suffix.',
    (call, s, suffix) => {
      const text = textOf(s);
      call.chargeText(text.length);
      return text.endsWith(textOf(suffix));
    },
  ),
  finding('find', 'The lowest index of a substring that is not empty, or -1.', false),
  finding('rfind', 'The highest index of a substring that is not empty, or -1.', true),
  indexing('index', 'The lowest index of a substring that is not empty; an error when there is none.', false),
  indexing(
    'rindex',
    'The highest index of a substring that is not empty; an error when there is none.',
    true,
  ),
  signature(
    'count(s: string, sub: string) -> int',
    'How often a substring that is not empty occurs without overlap.',
    (call, s, sub) => {
      const text = textOf(s);
      const sought = textOf(sub);
      if (sought === '') throw new ExprFailure('count failed: empty substring');
      chargeSearch(call, text, sought);
      const count = countOccurrences(new SubstringSearch(text, sought), sought);
      call.chargeSteps(count * STEPS_OF_OCCURRENCE);
      return count;
    },
  ),
  signature(
    'replace(s: string, old: string, new: string) -> string',
    'Replaces all occurrences of a text that is not empty.',
    (call, s, old, by) => replaced(call, textOf(s), textOf(old), textOf(by)),
  ),
];
