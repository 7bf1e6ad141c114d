import {
  boolIn,
  checkBoxWords,
  TYPES,
  type ParameterDefinition,
  type Value,
  type ValueRules,
} from './definition.ts';
import { integerIn } from './numbers.ts';

/** Values that were entered, or that a job had, by the name of the parameter. A job has lists as text. */
export type Values = Readonly<Record<string, Value>>;

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

export const isList = ({ type }: ValueRules): boolean => TYPES[type].element !== null;

/** What stands in the form: what was entered, else the default, else what an untouched control says. Null: a value is missing. */
export function valueIn(definition: ParameterDefinition, values: Values): Value | null {
  const given = Object.hasOwn(values, definition.name) ? values[definition.name] : undefined;
  if (given !== undefined) return fitting(definition.rules, given);
  if (definition.default !== null) return definition.default;
  if (isList(definition.rules)) return [];
  return definition.control === 'CHECK_BOX' ? checkBoxWords(definition.rules).off : null;
}

/** A value of another shape, because the template has changed under it, is read as text. */
function fitting(rules: ValueRules, value: Value): Value {
  if (isList(rules)) return typeof value === 'string' ? listIn(rules, value) : value;
  return typeof value === 'string' ? value : value.join(', ');
}

/** The elements of a list that is written as JSON. What is no list is one element, so that nothing is lost. */
export function listIn({ type }: ValueRules, text: string): readonly string[] {
  const inside = /^\s*\[([^]*)\]\s*$/.exec(text)?.[1];
  if (inside === undefined) return text.trim() === '' ? [] : [text];
  if (type === 'LIST[LIST[INT]]')
    return [...inside.matchAll(/\[([^[\]]*)\]/g)].map((match) => splitInts(match[1] ?? '').join(', '));
  // Integers of 64 bits would not survive JSON.parse.
  if (type === 'LIST[INT]' || type === 'LIST[FLOAT]') return splitInts(inside).map(unquoted);
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.map(String) : [text];
  } catch {
    return [text];
  }
}

/** Between commas; nothing where there is nothing at all. */
export const splitInts = (text: string): readonly string[] =>
  text.trim() === '' ? [] : text.split(',').map((part) => part.trim());

const unquoted = (text: string): string => /^"([^"\\]*)"$/.exec(text)?.[1] ?? text;

/** The text that is submitted for a value. */
export function submittedText(rules: ValueRules, value: Value): string {
  if (typeof value === 'string') return value;
  const { element } = TYPES[rules.type];
  if (element === null) return value.join(', ');
  return `[${value.map((text) => elementText(element, text)).join(', ')}]`;
}

/** An element of a list in JSON. What is no value of the type goes as text: it is refused with its place, not lost. */
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

/** Whether both say the same. */
export const isSame = (rules: ValueRules, a: Value | null, b: Value | null): boolean =>
  a === null || b === null ? a === b : submittedText(rules, a) === submittedText(rules, b);

/** What is submitted, by name: all that differs from its default. */
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
