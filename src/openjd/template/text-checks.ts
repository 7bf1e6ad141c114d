import type { Findings } from './findings.ts';
import type { Text } from './located.ts';
import { characters, firstControl, isIdentifier, quoteForMessage } from '../primitives/text-rules.ts';

export interface TextRule {
  readonly min: number;
  readonly max: number;
  /** Allowed control characters. */
  readonly control: 'none' | 'lines' | 'any';
  /** Says how to avoid a line break. */
  readonly hint?: string;
}

/** Checks length (in characters) and control characters. */
export function checkText(findings: Findings, text: Text | undefined, rule: TextRule): void {
  if (text === undefined) return;
  const { value, at } = text;
  const length = characters(value);
  if (length < rule.min)
    findings.add(at, rule.min === 1 ? 'must not be empty' : `must have at least ${rule.min} characters`);
  if (length > rule.max)
    findings.add(at, `must not have more than ${rule.max} characters, and has ${length}`);
  if (rule.control !== 'any') checkControl(findings, text, rule.control === 'lines', rule.hint);
}

/** Reports the first control character of a text. `hint` says what to write instead of a line break. */
export function checkControl(
  findings: Findings,
  { value, at }: Text,
  allowsLines: boolean,
  hint = 'write it in one line',
): void {
  const control = firstControl(value, allowsLines);
  if (control === null) return;
  const { offset, name } = control;
  const instead = value[offset] === '\n' || value[offset] === '\r' ? hint : 'remove it';
  findings.add(
    at,
    `must not contain control characters, and has ${name} at character ${offset + 1}: ${instead}`,
    offset,
  );
}

/** Specification, section 7.1. */
export function checkIdentifier(findings: Findings, text: Text | undefined, max: number): void {
  if (text === undefined) return;
  if (text.value === '') findings.add(text.at, 'must not be empty');
  else if (!isIdentifier(text.value)) {
    findings.add(
      text.at,
      `${quoteForMessage(text.value)} is not an identifier: letters, digits and _, not beginning with a digit; write ${quoteForMessage(identifierLike(text.value))}`,
    );
  } else if (text.value.length > max) {
    findings.add(text.at, `must not have more than ${max} characters, and has ${text.value.length}`);
  }
}

/** Returns the text with _ for each run of other characters. */
const identifierLike = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9_]+/g, '_').replace(/^(?=[0-9])/, '_');

/** Reports every name that occurs a second time. */
export function checkUnique(findings: Findings, what: string, names: readonly (Text | undefined)[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (name === undefined) continue;
    if (seen.has(name.value))
      findings.add(name.at, `the ${what} ${quoteForMessage(name.value)} exists twice`);
    seen.add(name.value);
  }
}
