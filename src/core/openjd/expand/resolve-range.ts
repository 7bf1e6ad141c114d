import type { Findings } from '../findings.ts';
import type { Located } from '../located.ts';
import { decimalOf, integerOf, parseDecimal, parseInteger } from '../numbers.ts';
import type { ChunksPlan, TaskParameterType } from '../plan.ts';
import type { ChunksShape, RangeShape, TaskParameterShape } from '../shape/template-shape.ts';
import type { AxisValues } from '../space-description.ts';
import { chunkAxis } from '../space/chunk-axis.ts';
import { describeRuns, runsOfValues, sizeOfRuns, type Run } from '../space/integer-set.ts';
import { parseRange } from '../space/range-expression.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { shown } from '../text-rules.ts';
import { taskTextWrong } from '../validate/07-parameter-spaces.ts';
import type { CreationValues } from './creation-values.ts';

/** The values of one task parameter, and how many they are. */
export interface ResolvedRange {
  readonly values: AxisValues;
  readonly length: bigint;
  readonly chunks?: ChunksPlan;
}

/** Resolves the range of a task parameter (section 3.4.1). Gives undefined when it was reported. */
export function resolveRange(
  findings: Findings,
  creation: CreationValues,
  parameter: TaskParameterShape,
  limits: TemplateLimits,
): ResolvedRange | undefined {
  const { range, type, name } = parameter;
  if (range === undefined || type === undefined || name === undefined) return undefined;
  if (type === 'CHUNK[INT]') {
    const runs = resolveIntegers(findings, creation, range, limits);
    const cut = resolveChunks(findings, creation, name.value, parameter.chunks);
    return runs === undefined || cut === undefined ? undefined : chunked(runs, cut);
  }
  if (range.kind === 'list') {
    const values = resolveList(findings, creation, range.items, type, limits);
    return values === undefined
      ? undefined
      : { values: { kind: 'list', values }, length: BigInt(values.length) };
  }
  if (type !== 'INT') {
    findings.add(range.text.at, `the range is empty: a range of type ${type} must be a list`);
    return undefined;
  }
  const runs = resolveIntegers(findings, creation, range, limits);
  if (runs === undefined) return undefined;
  return { values: { kind: 'runs', runs: describeRuns(runs) }, length: sizeOfRuns(runs) };
}

/** The elements of a list as text: integers in plain decimal, numbers as written. */
function resolveList(
  findings: Findings,
  creation: CreationValues,
  items: readonly Located[],
  type: TaskParameterType,
  limits: TemplateLimits,
): string[] | undefined {
  const values: string[] = [];
  for (const item of items) {
    const value = resolveElement(creation, item, type, limits);
    if (value === undefined) continue;
    if (typeof value === 'string') values.push(value);
    else findings.add(item, value.wrong);
  }
  return values.length === items.length ? values : undefined;
}

function resolveElement(
  creation: CreationValues,
  at: Located,
  type: TaskParameterType,
  limits: TemplateLimits,
): string | { readonly wrong: string } | undefined {
  const { node } = at;
  if (node.kind !== 'string') {
    const value = type === 'FLOAT' ? decimalOf(node) : integerOf(node);
    if (typeof value === 'string') return { wrong: value };
    return typeof value === 'bigint' ? `${value}` : value.text;
  }
  const text = creation.resolve({ value: node.value, at });
  if (text === undefined) return undefined;
  if (type === 'INT' || type === 'CHUNK[INT]') {
    const value = parseInteger(text);
    return typeof value === 'bigint' ? `${value}` : { wrong: `${shown(text)} is not a 64-bit integer` };
  }
  if (type === 'FLOAT') {
    return parseDecimal(text) === null ? { wrong: `${shown(text)} is not a finite decimal number` } : text;
  }
  const wrong = taskTextWrong(text, type, limits);
  return wrong === null ? text : { wrong };
}

/** The set of integers of a range, in increasing order. */
function resolveIntegers(
  findings: Findings,
  creation: CreationValues,
  range: RangeShape,
  limits: TemplateLimits,
): readonly Run[] | undefined {
  if (range.kind === 'list') {
    const values = resolveList(findings, creation, range.items, 'INT', limits);
    return values === undefined ? undefined : runsOfValues(values.map(BigInt));
  }
  const text = creation.resolve(range.text);
  if (text === undefined) return undefined;
  const parsed = parseRange(text, limits.maxRangeParts);
  if (parsed.ok) return parsed.runs;
  findings.add(range.text.at, parsed.detail);
  return undefined;
}

function resolveChunks(
  findings: Findings,
  creation: CreationValues,
  parameter: string,
  chunks: ChunksShape | undefined,
): ChunksPlan | undefined {
  const constraint = chunks?.rangeConstraint?.value;
  if (constraint !== 'CONTIGUOUS' && constraint !== 'NONCONTIGUOUS') return undefined;
  const defaultTaskCount = resolveCount(findings, creation, chunks?.defaultTaskCount, 1n);
  const targetRuntimeSeconds =
    chunks?.targetRuntimeSeconds === undefined
      ? 0
      : resolveCount(findings, creation, chunks.targetRuntimeSeconds, 0n);
  if (defaultTaskCount === undefined || targetRuntimeSeconds === undefined) return undefined;
  return { parameter, defaultTaskCount, targetRuntimeSeconds, rangeConstraint: constraint };
}

function resolveCount(
  findings: Findings,
  creation: CreationValues,
  at: Located | undefined,
  min: bigint,
): number | undefined {
  if (at === undefined) return undefined;
  const { node } = at;
  const text = node.kind === 'string' ? creation.resolve({ value: node.value, at }) : undefined;
  if (node.kind === 'string' && text === undefined) return undefined;
  const value = integerOf(text === undefined ? node : { ...node, kind: 'string', value: text });
  if (typeof value === 'string') findings.add(at, value);
  else if (value < min) findings.add(at, `must be at least ${min}, and is ${value}`);
  else return Number(value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : value);
  return undefined;
}

/** With a target for the run time the chunks are cut one after the other at the current size, which is the default one here. */
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
