import type { Findings } from '../findings.ts';
import type { ChunksPlan, TaskParameterPlan } from '../plan.ts';
import type { SpaceShape, StepShape } from '../shape/template-shape.ts';
import type { SpaceDescription } from '../space-description.ts';
import { parseCombination, textOfCombination, type Combination } from '../space/combination.ts';
import type { TemplateLimits } from '../template-limits.ts';
import type { CreationValues } from './creation-values.ts';
import { resolveRange, type ResolvedRange } from './resolve-range.ts';

/** A resolved parameter space of a step: its description is small, whatever its length. */
interface ResolvedSpace {
  readonly space: SpaceDescription;
  readonly taskCount: number;
  readonly taskParameters: readonly TaskParameterPlan[];
  readonly chunks?: ChunksPlan;
}

/**
 * Resolves a parameter space (section 3.4). Reports ranges that resolve to an invalid or empty one, groups with parts
 * of different lengths, and too many points. The limit is checked before memory is allocated per point.
 */
export function resolveSpace(
  findings: Findings,
  creation: CreationValues,
  step: StepShape,
  limits: TemplateLimits,
): ResolvedSpace | undefined {
  const shape = step.space;
  if (shape === undefined) return { space: { kind: 'single' }, taskCount: 1, taskParameters: [] };
  const ranges = new Map<string, ResolvedRange>();
  const taskParameters: TaskParameterPlan[] = [];
  for (const parameter of shape.parameters) {
    const range = resolveRange(findings, creation, parameter, limits);
    if (range === undefined || parameter.name === undefined || parameter.type === undefined) continue;
    ranges.set(parameter.name.value, range);
    taskParameters.push({ name: parameter.name.value, type: parameter.type });
  }
  if (ranges.size < shape.parameters.length) return undefined;
  const chunks = [...ranges.values()].find((range) => range.chunks !== undefined)?.chunks;
  const combination = adapted(combinationOf(shape), chunks);
  const measured = measure(combination, ranges);
  if ('mismatch' in measured) {
    findings.add(shape.combination?.at ?? shape.at, measured.mismatch);
    return undefined;
  }
  if (measured.length > BigInt(limits.maxTasksPerStep)) {
    findings.add(
      shape.at,
      `the step has ${measured.length} tasks, and the limit is ${limits.maxTasksPerStep}`,
    );
    return undefined;
  }
  const resolved = { space: measured.space, taskCount: Number(measured.length), taskParameters };
  return chunks === undefined ? resolved : { ...resolved, chunks };
}

/** Returns the combination, or the product of all parameters in the order of their definition. */
function combinationOf(shape: SpaceShape): Combination {
  const parsed = shape.combination === undefined ? undefined : parseCombination(shape.combination.value);
  if (parsed?.ok === true) return parsed.value;
  return {
    kind: 'product',
    parts: shape.parameters.map(({ name }) => ({ kind: 'name', name: name?.value ?? '' })),
  };
}

/**
 * Chunks of adaptive size vary fastest, regardless of the position of their parameter: the size of the next chunk
 * depends on the run time of the last one.
 */
function adapted(combination: Combination, chunks: ChunksPlan | undefined): Combination {
  if (chunks === undefined || chunks.targetRuntimeSeconds === 0 || combination.kind !== 'product')
    return combination;
  const isChunk = (part: Combination): boolean => part.kind === 'name' && part.name === chunks.parameter;
  return {
    kind: 'product',
    parts: [...combination.parts.filter((part) => !isChunk(part)), ...combination.parts.filter(isChunk)],
  };
}

type Measured = { readonly space: SpaceDescription; readonly length: bigint } | { readonly mismatch: string };

/** Recursive: the number of parameters bounds the depth. */
function measure(combination: Combination, ranges: ReadonlyMap<string, ResolvedRange>): Measured {
  if (combination.kind === 'name') {
    const range = ranges.get(combination.name);
    if (range === undefined) return { mismatch: `there is no task parameter ${combination.name}` };
    return { space: { kind: 'axis', name: combination.name, values: range.values }, length: range.length };
  }
  const parts: SpaceDescription[] = [];
  const lengths: bigint[] = [];
  for (const part of combination.parts) {
    const measured = measure(part, ranges);
    if ('mismatch' in measured) return measured;
    parts.push(measured.space);
    lengths.push(measured.length);
  }
  if (combination.kind === 'zip') {
    const first = lengths[0] ?? 0n;
    if (lengths.some((length) => length !== first)) {
      return {
        mismatch: `the parts of ${textOfCombination(combination)} must have the same number of values, and have ${lengths.join(', ')}`,
      };
    }
    return { space: { kind: 'zip', parts }, length: first };
  }
  const length = lengths.reduce((product, factor) => product * factor, 1n);
  const only = parts.length === 1 ? parts[0] : undefined;
  return { space: only ?? { kind: 'product', parts }, length };
}
