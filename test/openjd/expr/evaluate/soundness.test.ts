import fc from 'fast-check';
import { test } from 'tap';
import { resolvedType, type ResolvedType } from '../../../../src/openjd/expr/type-system/expr-type.ts';
import { satisfies } from '../../../../src/openjd/expr/type-system/type-match.ts';
import { displayOf } from '../../../../src/openjd/expr/values/display.ts';
import { typeOf } from '../../../../src/openjd/expr/values/value.ts';
import { evaluated, type Symbols } from './checked.ts';
import { ExpressionMaker, RESULTS, SYMBOLS, TARGETS, typeOfJson } from './generated-expression.ts';
import { rounds } from '../../../kit/rounds.ts';

const RUNS = rounds(1_000, 6_000);

interface Made {
  readonly source: string;
  readonly concrete: Symbols;
  /** Returns the symbols with some or all values unknown. */
  readonly partly: Symbols;
  readonly unknown: Symbols;
  readonly target: string | undefined;
}

/** Returns an expression with values of its symbols, generated from numbers. */
function madeFrom(tape: readonly number[]): Made {
  const maker = new ExpressionMaker(tape);
  const target = TARGETS[maker.pick(TARGETS.length)];
  const source = maker.make(RESULTS[maker.pick(RESULTS.length)] ?? 'int', 1 + maker.pick(4));
  const concrete: Record<string, unknown> = {};
  const partly: Record<string, unknown> = {};
  const unknown: Record<string, unknown> = {};
  for (const name of maker.used) {
    const { type, values } = SYMBOLS[name] ?? { type: 'int', values: [0] };
    const value = values[maker.pick(values.length)];
    const known = `${name}: ${typeOfJson(type, value)}`;
    concrete[known] = value;
    unknown[`${name}: unresolved[${type}]`] = null;
    if (maker.pick(2) === 0) partly[known] = value;
    else partly[`${name}: unresolved[${type}]`] = null;
  }
  return { source, concrete, partly, unknown, target };
}

const tapes = fc.array(fc.nat({ max: 10_000 }), { minLength: 4, maxLength: 60, size: 'max' });

/**
 * Reports whether a type is compatible with the inferred one. An empty list that was re-created has lost its element
 * type.
 */
function fits(type: ResolvedType, inferred: ResolvedType): boolean {
  if (satisfies(type, inferred)) return true;
  if (inferred.kind === 'union') return inferred.members.some((member) => fits(type, member));
  if (type.kind !== 'list' || inferred.kind !== 'list') return false;
  return type.element.kind === 'nulltype' || fits(type.element, inferred.element);
}

void test('an expression that succeeds with values is accepted without them, and has the inferred type', (t) => {
  let succeeded = 0;
  fc.assert(
    fc.property(tapes, (tape) => {
      const { source, concrete, partly, unknown, target } = madeFrom(tape);
      const asked = target === undefined ? {} : { target };
      const result = evaluated(source, { symbols: concrete, ...asked });
      if (!result.ok) return true;
      succeeded += 1;
      const type = resolvedType(typeOf(result.value));
      for (const symbols of [partly, unknown]) {
        const checked = evaluated(source, { symbols, ...asked });
        const context = `${source} with ${JSON.stringify(concrete)} for ${target}`;
        if (!checked.ok)
          throw new Error(`${context} is ${displayOf(result.value)}, but is rejected: ${checked.text}`);
        const inferred = typeOf(checked.value);
        if (!fits(type, resolvedType(inferred))) {
          throw new Error(`${context} is ${type.text}, but was inferred as ${inferred.text}`);
        }
        if (inferred.kind !== 'unresolved' && displayOf(checked.value) !== displayOf(result.value)) {
          throw new Error(
            `${context} is ${displayOf(result.value)}, but was inferred as ${displayOf(checked.value)}`,
          );
        }
      }
      return true;
    }),
    { numRuns: RUNS, seed: 7 },
  );
  t.ok(succeeded > RUNS / 3, `${succeeded} of ${RUNS} expressions have a value`);
  t.end();
});

void test('evaluation is deterministic and stays within its counted limits', (t) => {
  const seen = { ok: 0, memory: 0, operations: 0 };
  fc.assert(
    fc.property(
      tapes,
      fc.integer({ min: 64, max: 1500 }),
      fc.integer({ min: 0, max: 40 }),
      (tape, memory, operations) => {
        const { source, concrete, target } = madeFrom(tape);
        const asked = { symbols: concrete, ...(target === undefined ? {} : { target }) };
        const limited = { ...asked, context: { limits: { memory, operations } } };
        const once = evaluated(source, limited);
        const again = evaluated(source, limited);
        t.same(once, again, source);
        const free = evaluated(source, asked);
        if (once.ok) {
          seen.ok += 1;
          if (once.peakMemory > memory || once.operations > operations)
            throw new Error(`limits exceeded: ${source}`);
          t.same(once, free, 'a limit that is not reached has no effect');
        } else if (once.detail.startsWith('Expression memory usage')) seen.memory += 1;
        else if (once.detail.startsWith('Expression operation count')) seen.operations += 1;
        else if (free.ok) throw new Error(`${source} fails with limits: ${once.detail}`);
      },
    ),
    { numRuns: 1_500, seed: 11 },
  );
  t.ok(Math.min(seen.ok, seen.memory, seen.operations) > 20, JSON.stringify(seen));
  t.end();
});
