import { ExprFailure } from '../expr-failure.ts';
import { SPACES } from '../text/character-classes.ts';
import { SubstringSearch } from '../text/substring-search.ts';
import { listType, STRING } from '../type-system/expr-type.ts';
import { countOf, listValue, textOf } from '../values/arguments.ts';
import { listBytes, listOfType, stringBytes, type ListValue, type Value } from '../values/value.ts';
import type { Call } from './call.ts';
import { chargeCharacters, chargeSearch } from './charges.ts';
import { signature, type Signature } from './signature.ts';

const LIST_OF_STRING = listType(STRING);

/**
 * A list of strings that grows within the budget: each piece is charged one operation, and its memory before it is
 * added.
 */
export class GrowingList {
  readonly #call: Call;
  readonly #items: string[] = [];
  #bytes = listBytes(0);

  constructor(call: Call) {
    this.#call = call;
  }

  add(piece: string): void {
    this.#bytes += stringBytes(piece.length);
    this.#call.charge(1);
    this.#call.reserve(this.#bytes);
    this.#items.push(piece);
  }

  /** Returns the list, in the order of adding or reversed. */
  toList(reversed = false): ListValue {
    return listOfType(LIST_OF_STRING, reversed ? this.#items.reverse() : this.#items);
  }
}

/** Steps per character that may be white space. */
const STEPS = 1;

function splitAtSpaces(call: Call, text: string): ListValue {
  chargeCharacters(call, text, STEPS);
  const list = new GrowingList(call);
  let end = 0;
  for (const { index, 0: run } of text.matchAll(SPACES)) {
    if (index > end) list.add(text.slice(end, index));
    end = index + run.length;
  }
  if (end < text.length) list.add(text.slice(end));
  return list.toList();
}

/** Splits at most `most` times; a negative number means no limit. */
function splitAt(call: Call, text: string, separator: string, most: number, fromRight: boolean): ListValue {
  if (separator === '') throw new ExprFailure('split failed: empty separator');
  chargeSearch(call, text, separator);
  const list = new GrowingList(call);
  const search = new SubstringSearch(text, separator, fromRight);
  let left = most < 0 ? Number.POSITIVE_INFINITY : most;
  let bound = fromRight ? text.length : 0;
  for (; left > 0; left--) {
    const at = search.next(bound);
    if (at < 0) break;
    list.add(fromRight ? text.slice(at + separator.length, bound) : text.slice(bound, at));
    bound = fromRight ? at : at + separator.length;
  }
  list.add(fromRight ? text.slice(0, bound) : text.slice(bound));
  return list.toList(fromRight);
}

const splitting = (name: string, fromRight: boolean): readonly Signature[] => [
  signature(
    `${name}(s: string) -> list[string]`,
    'Splits at runs of white space; white space at the ends makes no element.',
    (call, s) => splitAtSpaces(call, textOf(s)),
  ),
  signature(
    `${name}(s: string, sep: string) -> list[string]`,
    'Splits at each occurrence of a separator that is not empty.',
    (call, s, sep) => splitAt(call, textOf(s), textOf(sep), -1, fromRight),
  ),
  signature(
    `${name}(s: string, sep: string, maxsplit: int) -> list[string]`,
    `Splits at a separator that is not empty, at most \`maxsplit\` times from the ${fromRight ? 'right' : 'left'}; a negative number means no limit.`,
    (call, s, sep, maxsplit) => splitAt(call, textOf(s), textOf(sep), countOf(maxsplit), fromRight),
  ),
];

const itemText = (item: Value): string =>
  typeof item === 'object' && item !== null && item.kind === 'path' ? item.text : textOf(item);

function joined(call: Call, items: Value, sep: Value): string {
  const separator = textOf(sep);
  const texts: string[] = [];
  let units = 0;
  const list = listValue(items);
  call.chargeEach(list.items.length);
  for (const item of list.items) {
    const text = itemText(item);
    units += text.length + (texts.length === 0 ? 0 : separator.length);
    texts.push(text);
  }
  call.reserveString(units);
  call.chargeText(units);
  return texts.join(separator);
}

/** Functions between strings and lists of strings (specification "Expression Language", section 2.2.4). */
export const SPLIT_FUNCTIONS: readonly Signature[] = [
  ...splitting('split', false),
  ...splitting('rsplit', true),
  signature('join(items: list[nulltype], sep: string) -> string', 'The empty string.', joined),
  signature(
    'join(items: list[string], sep: string) -> string',
    'Joins the elements with a separator.',
    joined,
  ),
  signature(
    'join(items: list[path], sep: string) -> string',
    'Joins the texts of paths with a separator.',
    joined,
  ),
];
