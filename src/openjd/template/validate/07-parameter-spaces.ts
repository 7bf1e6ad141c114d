import { fieldRules } from '../field-rules.ts';
import type { Findings } from '../findings.ts';
import { hasReferences, literalText, parseFormatString } from '../format-string.ts';
import type { Located, Text } from '../located.ts';
import { decimalOf, integerOf } from '../../primitives/numbers.ts';
import type { ChunksShape, SpaceShape, TaskParameterShape, TemplateShape } from '../shape/template-shape.ts';
import type { TaskParameterType } from '../plan.ts';

import { namesIn, parseCombination } from '../space/combination.ts';
import { parseRange } from '../../primitives/range-expression.ts';
import { suggestion } from '../../primitives/nearest.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { checkText } from '../text-checks.ts';
import { characters, quoteForMessage } from '../../primitives/text-rules.ts';

/** Pass 7: the parts of parameter spaces that do not depend on parameter values (section 3.4). */
export function checkParameterSpaces(
  findings: Findings,
  template: TemplateShape,
  limits: TemplateLimits,
): void {
  for (const { space } of template.steps) {
    if (space === undefined) continue;
    for (const parameter of space.parameters) {
      checkRange(findings, parameter, limits);
      checkChunks(findings, parameter.chunks);
    }
    const chunked = space.parameters.filter((parameter) => parameter.type === 'CHUNK[INT]');
    const second = chunked[1];
    if (second !== undefined) findings.add(second.at, 'a step can have one parameter of type CHUNK[INT]');
    checkCombination(findings, space, limits);
  }
}

function checkRange(findings: Findings, parameter: TaskParameterShape, limits: TemplateLimits): void {
  const { range, type } = parameter;
  if (range === undefined || type === undefined) return;
  if (range.kind === 'list') {
    for (const item of range.items) checkElement(findings, item, type, limits);
  } else if ((type === 'INT' || type === 'CHUNK[INT]') && isLiteral(range.text.value)) {
    const parsed = parseRange(range.text.value, limits.maxRangeParts);
    if (!parsed.ok) findings.add(range.text.at, parsed.detail);
  }
}

function checkElement(
  findings: Findings,
  at: Located,
  type: TaskParameterType,
  limits: TemplateLimits,
): void {
  const { node } = at;
  if (node.kind === 'string' && !isLiteral(node.value)) {
    checkLiteralLength(findings, { value: node.value, at }, limits);
    return;
  }
  const wrong = elementWrong(at, type, limits);
  if (wrong !== null) findings.add(at, wrong);
}

/** Returns why a literal is not a valid value of the type, or null. */
function elementWrong(at: Located, type: TaskParameterType, limits: TemplateLimits): string | null {
  const { node } = at;
  if (type === 'INT' || type === 'CHUNK[INT]') {
    const value = integerOf(node);
    return typeof value === 'string' ? value : null;
  }
  if (type === 'FLOAT') {
    const value = decimalOf(node);
    return typeof value === 'string' ? value : null;
  }
  if (node.kind !== 'string') return 'must be text; put it in quotes';
  return taskTextWrong(node.value, type, limits);
}

/** Returns why a resolved text is not a valid value of a STRING or PATH task parameter (section 3.4.2), or null. */
export function taskTextWrong(text: string, type: TaskParameterType, limits: TemplateLimits): string | null {
  if (type === 'PATH' && text === '') return 'must not be empty';
  const length = characters(text);
  return length > limits.maxTaskParameterValue
    ? `must not have more than ${limits.maxTaskParameterValue} characters, and has ${length}`
    : null;
}

function checkLiteralLength(findings: Findings, text: Text, limits: TemplateLimits): void {
  const parsed = parseFormatString(text.value);
  if (!parsed.ok) return;
  const length = characters(literalText(parsed.value));
  if (length > limits.maxTaskParameterValue) {
    findings.add(
      text.at,
      `must not have more than ${limits.maxTaskParameterValue} characters, and has ${length} at least`,
    );
  }
}

/** Section 3.4.1.5. */
function checkChunks(findings: Findings, chunks: ChunksShape | undefined): void {
  checkCount(findings, chunks?.defaultTaskCount, 1n);
  checkCount(findings, chunks?.targetRuntimeSeconds, 0n);
}

function checkCount(findings: Findings, at: Located | undefined, min: bigint): void {
  if (at === undefined || (at.node.kind === 'string' && !isLiteral(at.node.value))) return;
  const value = integerOf(at.node);
  if (typeof value === 'string') findings.add(at, value);
  else if (value < min) findings.add(at, `must be at least ${min}`);
}

/** Section 3.4.3: every parameter occurs exactly once, and no chunked one inside a group. */
function checkCombination(findings: Findings, space: SpaceShape, limits: TemplateLimits): void {
  const { combination } = space;
  if (combination === undefined) return;
  checkText(findings, combination, fieldRules(limits).combination);
  if (combination.value === '' || combination.value.length > limits.maxCombination) return;
  const parsed = parseCombination(combination.value);
  if (!parsed.ok) {
    findings.add(combination.at, parsed.detail);
    return;
  }
  const types = new Map(space.parameters.map((parameter) => [parameter.name?.value, parameter.type]));
  const seen = new Set<string>();
  for (const { name, grouped } of namesIn(parsed.value)) {
    if (!types.has(name)) {
      const near = suggestion(
        name,
        [...types.keys()].filter((each) => each !== undefined),
      );
      findings.add(combination.at, `there is no task parameter ${quoteForMessage(name)}${near}`);
    }
    if (seen.has(name)) findings.add(combination.at, `${quoteForMessage(name)} occurs twice`);
    if (grouped && types.get(name) === 'CHUNK[INT]') {
      findings.add(combination.at, `${quoteForMessage(name)} is chunked and cannot be used in parentheses`);
    }
    seen.add(name);
  }
  for (const name of types.keys()) {
    if (name !== undefined && !seen.has(name))
      findings.add(combination.at, `${quoteForMessage(name)} is missing`);
  }
}

/** Reports whether a text has no references; another pass checks invalid format strings. */
function isLiteral(text: string): boolean {
  const parsed = parseFormatString(text);
  return parsed.ok && !hasReferences(parsed.value);
}
