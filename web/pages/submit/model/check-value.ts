import { boolIn, characters, TYPES, type Value, type ValueRules } from './definition.ts';
import { decimalIn, integerIn } from './numbers.ts';
import { readRange } from './range-text.ts';
import { isList, splitInts } from './values.ts';

/** A problem of a value. `index` is the element of a list, null for the whole value. */
export interface ValueProblem {
  readonly index: number | null;
  readonly detail: string;
}

/** OpenJD, section 2.5. */
const MAX_TEXT_LENGTH = 1024;
const MAX_PROBLEMS = 20;
const MAX_SHOWN = 8;

/** Returns the problems of a value; empty for a value that the server accepts. Null is a missing value. */
export function problemsOf(rules: ValueRules, value: Value | null): readonly ValueProblem[] {
  if (value === null) return [{ index: null, detail: MISSING[rules.type] ?? 'Enter a value.' }];
  if (typeof value === 'string') {
    const detail = isList(rules) ? 'Enter a list.' : singleProblem(rules, value);
    return detail === null ? [] : [{ index: null, detail }];
  }
  const problems: ValueProblem[] = [];
  const length = lengthProblem(rules, value.length, ['element', 'elements']);
  if (length !== null) problems.push({ index: null, detail: length });
  const item = rules.item ?? noRules(TYPES[rules.type].element ?? 'STRING');
  for (const [index, text] of value.entries()) {
    const detail = isList(item) ? rowProblem(item, text) : singleProblem(item, text);
    if (detail !== null && problems.length < MAX_PROBLEMS) problems.push({ index, detail });
  }
  return problems;
}

const MISSING: Partial<Record<ValueRules['type'], string>> = {
  INT: 'Enter a whole number.',
  FLOAT: 'Enter a number.',
  PATH: 'Enter a path.',
  RANGE_EXPR: 'Enter a range, such as 1-100.',
};

/** Returns the rules of a type without restrictions. */
export function noRules(type: ValueRules['type']): ValueRules {
  const { element } = TYPES[type];
  const item = element === null ? null : noRules(element);
  return { type, minLength: null, maxLength: null, minValue: null, maxValue: null, allowed: null, item };
}

/** Checks an element that is a list of integers. */
function rowProblem(rules: ValueRules, text: string): string | null {
  const parts = splitInts(text);
  const item = rules.item ?? noRules('INT');
  for (const part of parts) {
    const detail = singleProblem(item, part);
    if (detail !== null) return parts.length === 1 ? detail : `“${clipped(part)}”: ${detail}`;
  }
  return lengthProblem(rules, parts.length, ['integer', 'integers']);
}

function singleProblem(rules: ValueRules, text: string): string | null {
  switch (rules.type) {
    case 'INT':
      return integerProblem(rules, text);
    case 'FLOAT':
      return decimalProblem(rules, text);
    case 'BOOL':
      return boolIn(text) === null ? 'Enter true or false.' : null;
    case 'RANGE_EXPR': {
      const range = readRange(text);
      return range.ok ? textProblem(rules, text) : range.detail;
    }
    default:
      return textProblem(rules, text);
  }
}

/** Blanks around a number do not count. */
function integerProblem(rules: ValueRules, given: string): string | null {
  const text = given.trim();
  if (text === '') return 'Enter a whole number.';
  const value = integerIn(text);
  if (value === null)
    return decimalIn(text) === null
      ? `Invalid number “${clipped(text)}”.`
      : 'Enter a whole number without decimal point or exponent.';
  if (value === 'range') return 'The number is too large. The limit is 64 bits.';
  return boundProblem(rules, value, (bound) => BigInt(bound));
}

/** Blanks around a number do not count. */
function decimalProblem(rules: ValueRules, given: string): string | null {
  const text = given.trim();
  if (text === '') return 'Enter a number.';
  const value = decimalIn(text);
  return value === null ? `Invalid number “${clipped(text)}”.` : boundProblem(rules, value, Number);
}

function boundProblem<N extends bigint | number>(
  { minValue, maxValue, allowed }: ValueRules,
  value: N,
  read: (bound: string) => N,
): string | null {
  if (minValue !== null && value < read(minValue)) return `Must be at least ${minValue}.`;
  if (maxValue !== null && value > read(maxValue)) return `Must be at most ${maxValue}.`;
  return allowed?.some((one) => read(one) === value) === false ? notAllowed(allowed) : null;
}

function textProblem(rules: ValueRules, text: string): string | null {
  const length = characters(text);
  const tooLong = length > MAX_TEXT_LENGTH && (rules.type !== 'RANGE_EXPR' || rules.maxLength === null);
  if (tooLong) return `Must have at most ${MAX_TEXT_LENGTH} characters, and has ${length}.`;
  const problem = lengthProblem(rules, length, ['character', 'characters']);
  if (problem !== null) return problem;
  return rules.allowed?.includes(text) === false ? notAllowed(rules.allowed) : null;
}

function lengthProblem(
  { minLength, maxLength }: ValueRules,
  length: number,
  [one, many]: readonly [string, string],
): string | null {
  const counted = (count: number): string => `${count} ${count === 1 ? one : many}`;
  if (minLength !== null && length < minLength)
    return `Must have at least ${counted(minLength)}, and has ${length}.`;
  if (maxLength !== null && length > maxLength)
    return `Must have at most ${counted(maxLength)}, and has ${length}.`;
  return null;
}

function notAllowed(allowed: readonly string[]): string {
  const shown = allowed.slice(0, MAX_SHOWN).map((text) => `“${text}”`);
  return `Must be one of ${shown.join(', ')}${allowed.length > MAX_SHOWN ? ', …' : ''}.`;
}

const clipped = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
