import { FUNCTIONS, propertyFunction, type LibraryFunction } from '../functions/library.ts';
import type {
  AttributeExpr,
  BinaryExpr,
  BinaryOperator,
  CallExpr,
  Expr,
  LiteralExpr,
  MethodExpr,
  NameExpr,
  SourceSpan,
  SliceExpr,
  SubscriptExpr,
  UnaryExpr,
} from '../syntax/tree.ts';
import { ANY, unionOf, type ExprType } from '../type-system/expr-type.ts';
import { sizeOf, typeOf, type Value } from '../values/value.ts';
import { compareNode, conditionalNode, logicalNode } from './branches.ts';
import { CallSite, librarySite, operatorSite } from './call-site.ts';
import { comprehensionNode, listNode } from './collections.ts';
import type { Frame, Node } from './frame.ts';
import { withSpan } from './frame.ts';
import { noAttribute, unknownFunction, type Written } from './mismatch.ts';
import { dottedName, nameNode, type DottedName } from './names.ts';
import type { Scope } from './scope.ts';

/**
 * Compiles an expression into a function of its symbols' values. `target` is the type expected by the context: it
 * guides list literals and branches (section 1.3.1) and is not enforced here.
 */
export function compile(expr: Expr, target: ExprType | null, scope: Scope): Node {
  switch (expr.kind) {
    case 'literal':
      return literalNode(expr);
    case 'name':
    case 'attribute':
      return nameOrProperty(expr, scope);
    case 'call':
      return functionNode(expr, scope);
    case 'method':
      return methodNode(expr, scope);
    case 'unary':
      return unaryNode(expr, scope);
    case 'binary':
      return binaryNode(expr, scope);
    case 'compare':
      return compareNode(expr, scope);
    case 'logical':
      return logicalNode(expr, scope);
    case 'conditional':
      return conditionalNode(expr, target, scope);
    case 'list':
      return listNode(expr, target, scope);
    case 'comprehension':
      return comprehensionNode(expr, target, scope);
    case 'subscript':
      return subscriptNode(expr, scope);
    case 'slice':
      return sliceNode(expr, scope);
  }
}

function literalNode(expr: LiteralExpr): Node {
  const { value } = expr;
  const bytes = sizeOf(value);
  return (frame) => {
    frame.call.chargeNodes(1);
    frame.call.take(bytes);
    return value;
  };
}

/** Compiles a dotted name: its longest prefix that is a symbol, and the rest as properties of the symbol's value. */
function nameOrProperty(expr: NameExpr | AttributeExpr, scope: Scope): Node {
  const dotted = dottedName(expr);
  if (dotted !== null) return dottedNode(dotted, scope);
  if (expr.kind === 'name') throw new Error('a name is a dotted name of one part');
  return propertyNode(expr.name, expr, compile(expr.base, null, scope));
}

function dottedNode(dotted: DottedName, scope: Scope): Node {
  return nameNode(dotted, scope, (part, base) => propertyNode(part.name, part.place, base));
}

function propertyNode(name: string, place: SourceSpan, base: Node): Node {
  const called = FUNCTIONS.get(propertyFunction(name));
  if (called === undefined) {
    return (frame) => {
      const value = base(frame);
      const type = typeOf(value);
      // A value of type `any` usually follows an error that is already reported, so there is no further error.
      if (type.kind === 'unresolved' && type.of === ANY) return value;
      throw noAttribute(name, type, frame.call).at(place);
    };
  }
  const site = new CallSite(called, { kind: 'property', name }, place);
  return (frame) => {
    const before = frame.call.memory;
    return site.one(frame, before, base(frame));
  };
}

function functionNode(expr: CallExpr, scope: Scope): Node {
  const called = FUNCTIONS.get(expr.name);
  const args = argumentNodes(called, expr.args, 0, scope);
  return callNode(called, { kind: 'function', name: expr.name }, expr, args);
}

function methodNode(expr: MethodExpr, scope: Scope): Node {
  const called = FUNCTIONS.get(expr.name);
  const receiver = compile(expr.receiver, null, scope);
  const args = argumentNodes(called, expr.args, 1, scope);
  return callNode(called, { kind: 'method', name: expr.name }, expr, [receiver, ...args]);
}

function argumentNodes(
  called: LibraryFunction | undefined,
  args: readonly Expr[],
  first: number,
  scope: Scope,
): readonly Node[] {
  const targets = called === undefined ? [] : targetsOf(called, args.length + first);
  return args.map((arg, index) => compile(arg, targets[index + first] ?? null, scope));
}

/** Cached by function and number of parameters. */
const targets = new Map<LibraryFunction, Map<number, readonly ExprType[]>>();

/**
 * Returns the target type of each argument: the union of the parameter types of all signatures of this length, or null
 * if one of them is a type variable.
 */
function targetsOf(called: LibraryFunction, count: number): readonly ExprType[] {
  const fitting = called.signatures.filter(({ parameters }) => parameters.length === count);
  if (fitting.length === 0 || fitting.some(({ generic }) => generic)) return [];
  const known = targets.get(called) ?? new Map<number, readonly ExprType[]>();
  targets.set(called, known);
  const found =
    known.get(count) ??
    Array.from({ length: count }, (_, index) =>
      unionOf(fitting.flatMap(({ parameters }) => parameters[index]?.type ?? [])),
    );
  known.set(count, found);
  return found;
}

function callNode(
  called: LibraryFunction | undefined,
  written: Written & { readonly kind: 'function' | 'method' },
  place: SourceSpan,
  args: readonly Node[],
): Node {
  if (called === undefined || called.name.startsWith('__')) return unknownNode(written, place, args);
  const site = new CallSite(called, written, place);
  const [first, second] = args;
  const exists = (frame: Frame): void => {
    if (called.hostOnly && frame.host === 'none') throw unknown(written, place, frame);
  };
  if (first !== undefined && args.length === 1) {
    return (frame) => {
      const before = frame.call.memory;
      const a = first(frame);
      if (called.hostOnly) exists(frame);
      return site.one(frame, before, a);
    };
  }
  if (first !== undefined && second !== undefined && args.length === 2) {
    return (frame) => {
      const before = frame.call.memory;
      const a = first(frame);
      const b = second(frame);
      if (called.hostOnly) exists(frame);
      return site.two(frame, before, a, b);
    };
  }
  return (frame) => {
    const before = frame.call.memory;
    const values = args.map((arg) => arg(frame));
    if (called.hostOnly) exists(frame);
    return site.many(frame, before, values);
  };
}

/** The arguments are evaluated first, so that their errors are reported first. */
function unknownNode(
  written: Written & { readonly kind: 'function' | 'method' },
  place: SourceSpan,
  args: readonly Node[],
): Node {
  return (frame) => {
    for (const arg of args) arg(frame);
    throw unknown(written, place, frame);
  };
}

const unknown = (
  written: Written & { readonly kind: 'function' | 'method' },
  place: SourceSpan,
  frame: Frame,
): unknown =>
  withSpan(
    unknownFunction(written.name, written.kind === 'method', frame.host !== 'none', frame.call),
    place,
  );

const UNARY: Readonly<Record<UnaryExpr['operator'], string>> = {
  '-': '__neg__',
  '+': '__pos__',
  not: '__not__',
};

function unaryNode(expr: UnaryExpr, scope: Scope): Node {
  const site = operatorSite(UNARY[expr.operator], expr.operator, expr);
  const operand = compile(expr.operand, null, scope);
  return (frame) => {
    const before = frame.call.memory;
    return site.one(frame, before, operand(frame));
  };
}

const BINARY: Readonly<Record<BinaryOperator, string>> = {
  '+': '__add__',
  '-': '__sub__',
  '*': '__mul__',
  '/': '__truediv__',
  '//': '__floordiv__',
  '%': '__mod__',
  '**': '__pow__',
};

function binaryNode(expr: BinaryExpr, scope: Scope): Node {
  const site = operatorSite(BINARY[expr.operator], expr.operator, expr);
  const left = compile(expr.left, null, scope);
  const right = compile(expr.right, null, scope);
  return (frame) => {
    const before = frame.call.memory;
    const a = left(frame);
    return site.two(frame, before, a, right(frame));
  };
}

function subscriptNode(expr: SubscriptExpr, scope: Scope): Node {
  const site = librarySite('__getitem__', { kind: 'subscript' }, expr);
  const base = compile(expr.base, null, scope);
  const index = compile(expr.index, null, scope);
  return (frame) => {
    const before = frame.call.memory;
    const a = base(frame);
    return site.two(frame, before, a, index(frame));
  };
}

function sliceNode(expr: SliceExpr, scope: Scope): Node {
  const site = librarySite('__getitem__', { kind: 'slice' }, expr);
  const base = compile(expr.base, null, scope);
  const bounds = [expr.lower, expr.upper, expr.step].map((bound) =>
    bound === null ? null : compile(bound, null, scope),
  );
  return (frame) => {
    const before = frame.call.memory;
    const values: Value[] = [base(frame)];
    for (const bound of bounds) values.push(bound === null ? null : bound(frame));
    return site.many(frame, before, values);
  };
}
