import type { BaseType } from './plan.ts';
import { parseDecimal, parseInteger } from './numbers.ts';

import { characters, shown } from './text-rules.ts';

/** What the value of a job parameter must satisfy (specification, sections 2.1 to 2.5). */
export interface ParameterRules {
  readonly type: BaseType;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  /** bigint for INT, number for FLOAT. */
  readonly minValue: Bound | null;
  readonly maxValue: Bound | null;
  /** Values as text, in the form of `canonicalValue`. */
  readonly allowed: readonly string[] | null;
}

/** A limit and how it was written. */
export interface Bound {
  readonly value: bigint | number;
  readonly text: string;
}

type ReadValue =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly detail: string };

/** The text of a value as the job keeps it: integers in plain decimal, everything else as given. Errors: text that is no value of the type. */
export function canonicalValue(type: BaseType, text: string): ReadValue {
  if (type === 'INT') {
    const value = parseInteger(text);
    if (value === 'range')
      return { ok: false, detail: `${shown(text)} is outside the range of 64-bit integers` };
    return value === null
      ? { ok: false, detail: `${shown(text)} is not an integer` }
      : { ok: true, text: `${value}` };
  }
  if (type === 'FLOAT') {
    return parseDecimal(text) === null
      ? { ok: false, detail: `${shown(text)} is not a finite decimal number` }
      : { ok: true, text };
  }
  return { ok: true, text };
}

/** Why a canonical value breaks a rule other than `allowed`, or null. */
export function constraintBroken(rules: ParameterRules, text: string, maxLength: number): string | null {
  if (rules.type === 'STRING' || rules.type === 'PATH') {
    const length = characters(text);
    if (length > maxLength) return `must not have more than ${maxLength} characters, and has ${length}`;
    if (rules.minLength !== null && length < rules.minLength) {
      return `${shown(text)} is shorter than minLength ${rules.minLength}`;
    }
    if (rules.maxLength !== null && length > rules.maxLength) {
      return `${shown(text)} is longer than maxLength ${rules.maxLength}`;
    }
    return null;
  }
  const value = rules.type === 'INT' ? BigInt(text) : Number(text);
  if (rules.minValue !== null && value < rules.minValue.value)
    return `${text} is less than minValue ${rules.minValue.text}`;
  if (rules.maxValue !== null && value > rules.maxValue.value) {
    return `${text} is greater than maxValue ${rules.maxValue.text}`;
  }
  return null;
}

/** Whether a canonical value is one of the allowed ones. Numbers compare as numbers. */
export function isAllowed(rules: ParameterRules, text: string): boolean {
  if (rules.allowed === null) return true;
  if (rules.type === 'FLOAT') return rules.allowed.some((allowed) => Number(allowed) === Number(text));
  return rules.allowed.includes(text);
}
