import {
  boolIn,
  checkBoxWords,
  TYPES,
  type ParameterDefinition,
  type Value,
  type ValueRules,
} from './definition.ts';
import { integerIn } from './numbers.ts';

/** Entered values, or values of a job, by parameter name. Lists of a job are text. */
export type Values = Readonly<Record<string, Value>>;

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

export const isList = ({ type }: ValueRules): boolean => TYPES[type].element !== null;

/** Returns the value in the form: the entered one, else the default, else the initial value of the control. Null for a missing value. */
export function valueIn(definition: ParameterDefinition, values: Values): Value | null {
  const given = Object.hasOwn(values, definition.name) ? values[definition.name] : undefined;
  if (given !== undefined) return fitting(definition.rules, given);
  if (definition.default !== null) return definition.default;
  if (isList(definition.rules)) return [];
  return definition.control === 'CHECK_BOX' ? checkBoxWords(definition.rules).off : null;
}

/** Converts a value between text and list, in case the type of the parameter has changed. */
function fitting(rules: ValueRules, value: Value): Value {
  if (isList(rules)) return typeof value === 'string' ? listIn(rules, value) : value;
  return typeof value === 'string' ? value : value.join(', ');
}

/** Returns the elements of a list in JSON. Any other text is a single element, so that no input is lost. */
export function listIn({ type }: ValueRules, text: string): readonly string[] {
  const inside = /^\s*\[([^]*)\]\s*$/.exec(text)?.[1];
  if (inside === undefined) return text.trim() === '' ? [] : [text];
  if (type === 'LIST[LIST[INT]]')
    return [...inside.matchAll(/\[([^[\]]*)\]/g)].map((match) => splitInts(match[1] ?? '').join(', '));
  // JSON.parse would round integers of 64 bits.
  if (type === 'LIST[INT]' || type === 'LIST[FLOAT]') return splitInts(inside).map(unquoted);
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.map(String) : [text];
  } catch {
    return [text];
  }
}

/** Splits a text at commas; empty for a blank text. */
export const splitInts = (text: string): readonly string[] =>
  text.trim() === '' ? [] : text.split(',').map((part) => part.trim());

const unquoted = (text: string): string => /^"([^"\\]*)"$/.exec(text)?.[1] ?? text;

/** Returns the text of a value in a request. */
export function submittedText(rules: ValueRules, value: Value): string {
  if (typeof value === 'string') return value;
  const { element } = TYPES[rules.type];
  if (element === null) return value.join(', ');
  return `[${value.map((text) => elementText(element, text)).join(', ')}]`;
}

/** Formats an element as JSON. An invalid value is sent as text, so that the server reports its position. */
function elementText(type: ValueRules['type'], text: string): string {
  if (type === 'LIST[INT]')
    return `[${splitInts(text)
      .map((part) => elementText('INT', part))
      .join(', ')}]`;
  if (type === 'INT') {
    const value = integerIn(text);
    return typeof value === 'bigint' ? `${value}` : JSON.stringify(text);
  }
  if (type === 'FLOAT' && JSON_NUMBER.test(text)) return text;
  if (type === 'BOOL') {
    const value = boolIn(text);
    return value === null ? JSON.stringify(text) : `${value}`;
  }
  return JSON.stringify(text);
}

/** Reports whether two values are equal in a request. */
export const isSame = (rules: ValueRules, a: Value | null, b: Value | null): boolean =>
  a === null || b === null ? a === b : submittedText(rules, a) === submittedText(rules, b);

/** Returns the texts of all values that differ from their defaults, by name. */
export function submittedValues(
  definitions: readonly ParameterDefinition[],
  values: Values,
): Readonly<Record<string, string>> {
  const submitted: Record<string, string> = {};
  for (const definition of definitions) {
    const value = valueIn(definition, values);
    if (value === null || isSame(definition.rules, value, definition.default)) continue;
    submitted[definition.name] = submittedText(definition.rules, value);
  }
  return submitted;
}
