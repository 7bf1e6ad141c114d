import { ExprFailure, failureText } from '../expr-failure.ts';
import type {
  CompareExpr,
  CompareOperator,
  ConditionalExpr,
  LogicalExpr,
  SourceSpan,
} from '../syntax/tree.ts';
import {
  alternatives,
  ANY,
  BOOL,
  NULLTYPE,
  resolvedType,
  unionOfResolved,
  type ExprType,
  type ResolvedType,
} from '../type-system/expr-type.ts';
import { typeOf, unresolvedOf, type UnresolvedValue, type Value } from '../values/value.ts';
import { notBool, operatorSite } from './call-site.ts';
import type { Frame, Node } from './frame.ts';
import type { Scope } from './scope.ts';

/** Steps to join the possible types of two branches. */
const UNDECIDED_STEPS = 60;

const COMPARE: Readonly<Record<CompareOperator, string>> = {
  '==': '__eq__',
  '!=': '__ne__',
  '<': '__lt__',
  '<=': '__le__',
  '>': '__gt__',
  '>=': '__ge__',
  in: '__contains__',
  'not in': '__not_contains__',
};

const isUnresolved = (value: Value): value is UnresolvedValue =>
  typeof value === 'object' && value?.kind === 'unresolved';

/**
 * A chain of comparisons (section 1.3.6): each operand is evaluated once, and none after the first that does not hold.
 */
export function compareNode(expr: CompareExpr, scope: Scope): Node {
  const first = scope.compile(expr.first, null, scope);
  const steps = expr.rest.map(({ operator, operand, place }) => {
    const swapped = operator === 'in' || operator === 'not in';
    return {
      swapped,
      operand: scope.compile(operand, null, scope),
      site: operatorSite(COMPARE[operator], operator, place, swapped),
    };
  });
  const [only] = steps;
  if (only !== undefined && steps.length === 1) {
    const { swapped, operand, site } = only;
    return (frame) => {
      const before = frame.call.memory;
      const a = first(frame);
      const b = operand(frame);
      return swapped ? site.two(frame, before, b, a) : site.two(frame, before, a, b);
    };
  }
  return (frame) => {
    const before = frame.call.memory;
    let left = first(frame);
    let known = true;
    try {
      for (const { swapped, operand, site } of steps) {
        const right = operand(frame);
        const holds = swapped ? site.two(frame, before, right, left) : site.two(frame, before, left, right);
        if (holds === false) return holds;
        if (isUnresolved(holds)) known = false;
        frame.call.hold(before, right);
        left = right;
      }
    } catch (error) {
      // As with `and`: a comparison that may be false decides the result, even if a later one always fails.
      if (known || !(error instanceof ExprFailure) || error.exhausted) throw error;
      frame.call.chargeFailure();
      known = false;
    }
    const value = known ? true : unresolvedOf(BOOL);
    frame.call.hold(before, value);
    return value;
  };
}

/** Compiles `and` and `or`: they return one of their operands; only null and false are false (section 2.1.6). */
export function logicalNode(expr: LogicalExpr, scope: Scope): Node {
  const stopsAt = expr.operator === 'or';
  const [first, ...rest] = expr.operands.map((operand) => scope.compile(operand, null, scope));
  if (first === undefined) throw new Error('a logical operation has operands');
  // A loop instead of nested pairs: there can be thousands of operands.
  return (frame) => {
    const { call } = frame;
    const before = call.memory;
    let value = first(frame);
    for (const operand of rest) {
      call.chargeNodes(1);
      if (isUnresolved(value)) {
        value = undecided(value, operand, stopsAt, frame);
        call.hold(before, value);
      } else {
        if ((value !== null && value !== false) === stopsAt) return value;
        call.memory = before;
        value = operand(frame);
      }
    }
    return value;
  };
}

/** Returns the possible values of the pair if its first operand is unknown: those of either operand. */
function undecided(a: UnresolvedValue, right: Node, stopsAt: boolean, frame: Frame): Value {
  const returned = alternatives(a.type.of).filter((type) => mayBe(type, stopsAt));
  const goesOn = alternatives(a.type.of).some((type) => mayBe(type, !stopsAt));
  if (!goesOn) return a;
  frame.call.chargeSteps(UNDECIDED_STEPS);
  let b: Value;
  try {
    b = right(frame);
  } catch (error) {
    // This operand always fails, but the result can still be the other one.
    if (!(error instanceof ExprFailure) || error.exhausted || returned.length === 0) throw error;
    frame.call.chargeFailure();
    return unresolvedOf(unionOfResolved(returned));
  }
  if (b === stopsAt && returned.every((type) => type === BOOL)) return b;
  return unresolvedOf(unionOfResolved([...returned, resolvedType(typeOf(b))]));
}

/** Reports whether a value of the type can be true (or false) in a condition of `and` and `or`. */
function mayBe(type: ResolvedType, truth: boolean): boolean {
  if (type === BOOL || type === ANY) return true;
  return (type !== NULLTYPE) === truth;
}

/**
 * Compiles a conditional (section 1.3.5). With an unresolved condition both branches count, and one of them may fail.
 */
export function conditionalNode(expr: ConditionalExpr, target: ExprType | null, scope: Scope): Node {
  const condition = scope.compile(expr.condition, null, scope);
  const then = scope.compile(expr.then, target, scope);
  const otherwise = scope.compile(expr.otherwise, target, scope);
  return (frame) => {
    const before = frame.call.memory;
    frame.call.chargeNodes(1);
    const decided = condition(frame);
    frame.call.memory = before;
    if (decided === true) return then(frame);
    if (decided === false) return otherwise(frame);
    if (!isUnresolved(decided) || !mayBeBool(decided.type.of)) {
      throw notBool('Condition', decided).at(expr.condition);
    }
    const value = eitherBranch(then, otherwise, frame, expr, scope);
    frame.call.hold(before, value);
    return value;
  };
}

export const mayBeBool = (type: ResolvedType): boolean =>
  alternatives(type).some((member) => member === BOOL || member === ANY);

function eitherBranch(
  then: Node,
  otherwise: Node,
  frame: Frame,
  place: SourceSpan,
  { source }: Scope,
): Value {
  const before = frame.call.memory;
  const results: ResolvedType[] = [];
  const failures: ExprFailure[] = [];
  frame.call.chargeSteps(UNDECIDED_STEPS);
  for (const branch of [then, otherwise]) {
    frame.call.memory = before;
    try {
      results.push(resolvedType(typeOf(branch(frame))));
    } catch (error) {
      if (!(error instanceof ExprFailure) || error.exhausted) throw error;
      frame.call.chargeFailure();
      failures.push(error);
    }
  }
  const [one, other] = failures;
  if (one === undefined || other === undefined) return unresolvedOf(unionOfResolved(results));
  // Both messages contain their source lines.
  frame.call.chargeSteps(2 * source.length);
  throw new ExprFailure(
    `Both branches fail in the if/else:\n  if-branch: ${failureText(one, source)}\n  else-branch: ${failureText(other, source)}`,
    place,
  );
}
