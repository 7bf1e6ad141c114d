import { displayOf } from '../../expr/values/display.ts';
import type { Value } from '../../expr/values/value.ts';
import type { Findings } from '../findings.ts';
import {
  COUNT,
  listedValues,
  OPTIONAL_COUNT,
  rangeItemTarget,
  rangeTarget,
} from '../language/field-types.ts';
import type { Located } from '../located.ts';
import { decimalOf, integerOf, parseDecimal, parseInteger } from '../../primitives/numbers.ts';
import type { ChunksPlan, TaskParameterType } from '../plan.ts';
import type { ChunksShape, RangeShape, TaskParameterShape } from '../shape/template-shape.ts';
import type { AxisValues } from '../space-description.ts';
import { chunkAxis } from '../space/chunk-axis.ts';
import { describeRuns, runsOfValues, sizeOfRuns, type Run } from '../../primitives/integer-set.ts';
import { parseRange } from '../../primitives/range-expression.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';
import { taskTextWrong } from '../validate/07-parameter-spaces.ts';
import type { CreationValues } from './creation-values.ts';

/** The values of one task parameter, and their number. */
export interface ResolvedRange {
  readonly values: AxisValues;
  readonly length: bigint;
  readonly chunks?: ChunksPlan;
}

/** Values of a range before its use is known: a set of integers, or a list of texts. */
type RangeValues =
  | { readonly kind: 'runs'; readonly runs: readonly Run[] }
  | { readonly kind: 'list'; readonly values: readonly string[] };

/** Resolves the range of a task parameter (section 3.4.1). Returns undefined if it was reported. */
export function resolveRange(
  findings: Findings,
  creation: CreationValues,
  parameter: TaskParameterShape,
  limits: TemplateLimits,
): ResolvedRange | undefined {
  const { range, type, name } = parameter;
  if (range === undefined || type === undefined || name === undefined) return undefined;
  const resolved = resolveValues(findings, creation, range, type, limits);
  if (type === 'CHUNK[INT]') {
    const cut = resolveChunks(findings, creation, name.value, parameter.chunks);
    return resolved === undefined || cut === undefined ? undefined : chunked(runsOf(resolved), cut);
  }
  if (resolved === undefined) return undefined;
  if (resolved.kind === 'list') return { values: resolved, length: BigInt(resolved.values.length) };
  return {
    values: { kind: 'runs', runs: describeRuns(resolved.runs) },
    length: sizeOfRuns(resolved.runs),
  };
}

const runsOf = (range: RangeValues): readonly Run[] =>
  range.kind === 'runs' ? range.runs : runsOfValues(range.values.map(BigInt));

function resolveValues(
  findings: Findings,
  creation: CreationValues,
  range: RangeShape,
  type: TaskParameterType,
  limits: TemplateLimits,
): RangeValues | undefined {
  if (range.kind === 'list') {
    const values = range.items.map((item) => resolveItem(findings, creation, item, type, limits));
    const sound = values.filter((value) => value !== undefined);
    return sound.length === values.length ? listOf(findings, range.at, sound.flat(), limits) : undefined;
  }
  const { text } = range;
  const value = creation.resolve(text, rangeTarget(type));
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value?.kind === 'range') return { kind: 'runs', runs: value.runs };
  if (typeof value === 'object' && value?.kind === 'list') {
    const values = resolvedTexts(findings, text.at, value.items, type, limits);
    return values === undefined ? undefined : listOf(findings, text.at, values, limits);
  }
  if (type !== 'INT' && type !== 'CHUNK[INT]') {
    findings.add(text.at, `the range is empty: a range of type ${type} must be a list`);
    return undefined;
  }
  const parsed = parseRange(displayOf(value), limits.maxRangeParts);
  if (parsed.ok) return { kind: 'runs', runs: parsed.runs };
  findings.add(text.at, parsed.detail);
  return undefined;
}

/** An expression can make a list of any length. */
function listOf(
  findings: Findings,
  at: Located,
  values: readonly string[],
  limits: TemplateLimits,
): RangeValues | undefined {
  if (values.length === 0) findings.add(at, 'the range is empty');
  else if (values.length > limits.maxRangeValues) {
    findings.add(at, `must not have more than ${limits.maxRangeValues} elements, and has ${values.length}`);
  } else return { kind: 'list', values };
  return undefined;
}

/** Returns the values of a list element as text. */
function resolveItem(
  findings: Findings,
  creation: CreationValues,
  at: Located,
  type: TaskParameterType,
  limits: TemplateLimits,
): readonly string[] | undefined {
  const { node } = at;
  if (node.kind !== 'string') {
    const value = type === 'FLOAT' ? decimalOf(node) : integerOf(node);
    if (typeof value !== 'string') return [typeof value === 'bigint' ? `${value}` : value.text];
    findings.add(at, value);
    return undefined;
  }
  const value = creation.resolve({ value: node.value, at }, rangeItemTarget(type));
  return value === undefined ? undefined : resolvedTexts(findings, at, listedValues(value), type, limits);
}

/** Returns values as text: integers in plain decimal, numbers as written. */
function resolvedTexts(
  findings: Findings,
  at: Located,
  values: readonly Value[],
  type: TaskParameterType,
  limits: TemplateLimits,
): readonly string[] | undefined {
  const texts: string[] = [];
  for (const value of values) {
    const text = textOfValue(value, type, limits);
    if (typeof text === 'string') texts.push(text);
    else {
      findings.add(at, text.wrong);
      return undefined;
    }
  }
  return texts;
}

function textOfValue(
  value: Value,
  type: TaskParameterType,
  limits: TemplateLimits,
): string | { readonly wrong: string } {
  const text = displayOf(value);
  // Blanks around the text of a number do not count.
  const number = text.trim();
  if (type === 'INT' || type === 'CHUNK[INT]') {
    const integer = parseInteger(number);
    return typeof integer === 'bigint'
      ? `${integer}`
      : { wrong: `${quoteForMessage(text)} is not a 64-bit integer` };
  }
  if (type === 'FLOAT') {
    return parseDecimal(number) === null
      ? { wrong: `${quoteForMessage(text)} is not a finite decimal number` }
      : number;
  }
  const wrong = taskTextWrong(text, type, limits);
  return wrong === null ? text : { wrong };
}

/** Resolves the chunking of a parameter (section 3.4.1.5) and checks it again. */
function resolveChunks(
  findings: Findings,
  creation: CreationValues,
  parameter: string,
  chunks: ChunksShape | undefined,
): ChunksPlan | undefined {
  const constraint = chunks?.rangeConstraint?.value;
  if (chunks === undefined || (constraint !== 'CONTIGUOUS' && constraint !== 'NONCONTIGUOUS'))
    return undefined;
  const defaultTaskCount = resolveCount(findings, creation, chunks.defaultTaskCount, 1n);
  const targetRuntimeSeconds =
    chunks.targetRuntimeSeconds === undefined
      ? 0
      : resolveCount(findings, creation, chunks.targetRuntimeSeconds, 0n);
  if (defaultTaskCount === undefined || targetRuntimeSeconds === undefined) return undefined;
  return { parameter, defaultTaskCount, targetRuntimeSeconds, rangeConstraint: constraint };
}

/** Resolves a count of at least `min`. If `min` is 0, null means 0. */
function resolveCount(
  findings: Findings,
  creation: CreationValues,
  at: Located | undefined,
  min: bigint,
): number | undefined {
  if (at === undefined) return undefined;
  const { node } = at;
  let counted = node;
  if (node.kind === 'string') {
    const value = creation.resolve({ value: node.value, at }, min === 0n ? OPTIONAL_COUNT : COUNT);
    if (value === undefined) return undefined;
    counted = { ...node, value: value === null ? `${min}` : displayOf(value) };
  }
  const value = integerOf(counted);
  if (typeof value === 'string') findings.add(at, value);
  else if (value < min) findings.add(at, `must be at least ${min}, and is ${value}`);
  else return Number(value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : value);
  return undefined;
}

/** With a target runtime the chunks are cut one after the other at the current size, which is the default here. */
function chunked(runs: readonly Run[], chunks: ChunksPlan): ResolvedRange {
  const described = describeRuns(runs);
  const cut = {
    size: chunks.defaultTaskCount,
    constraint: chunks.rangeConstraint,
    greedy: chunks.targetRuntimeSeconds > 0,
  };
  const length = BigInt(chunkAxis(described, cut).length);
  return { values: { kind: 'chunks', runs: described, cut }, length, chunks };
}
