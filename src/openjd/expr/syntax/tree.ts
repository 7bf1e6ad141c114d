import type { Value } from '../values/value.ts';

/** Position of a node in the source of its expression: UTF-16 offsets, `end` exclusive; errors point at `caret`. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
  readonly caret: number;
}

/**
 * An expression (specification "Expression Language", section 1.1).
 *
 * The position of a parenthesized expression excludes the parentheses; an operation around it includes them. The caret
 * is at an arithmetic operator, at the name of an attribute or method, at the bracket of a subscript, else at the
 * start.
 */
export type Expr =
  | LiteralExpr
  | NameExpr
  | AttributeExpr
  | CallExpr
  | MethodExpr
  | UnaryExpr
  | BinaryExpr
  | CompareExpr
  | LogicalExpr
  | ConditionalExpr
  | ListExpr
  | ComprehensionExpr
  | SubscriptExpr
  | SliceExpr;

export interface LiteralExpr extends SourceSpan {
  readonly kind: 'literal';
  readonly value: Value;
}

/** The first identifier of a dotted name. */
export interface NameExpr extends SourceSpan {
  readonly kind: 'name';
  readonly name: string;
}

/** `base.name`, not called: a dotted name, or a property. */
export interface AttributeExpr extends SourceSpan {
  readonly kind: 'attribute';
  readonly base: Expr;
  readonly name: string;
}

/** `name(args)`. */
export interface CallExpr extends SourceSpan {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Expr[];
}

/** `receiver.name(args)`. */
export interface MethodExpr extends SourceSpan {
  readonly kind: 'method';
  readonly receiver: Expr;
  readonly name: string;
  readonly args: readonly Expr[];
}

export type UnaryOperator = '-' | '+' | 'not';

export interface UnaryExpr extends SourceSpan {
  readonly kind: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: Expr;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

export interface BinaryExpr extends SourceSpan {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expr;
  readonly right: Expr;
}

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

/** `first < a <= b`: a chain; one comparison is a chain of one. */
export interface CompareExpr extends SourceSpan {
  readonly kind: 'compare';
  readonly first: Expr;
  readonly rest: readonly Comparison[];
}

export interface Comparison {
  readonly operator: CompareOperator;
  readonly operand: Expr;
  /** From the previous operand to this one. */
  readonly place: SourceSpan;
}

export interface LogicalExpr extends SourceSpan {
  readonly kind: 'logical';
  readonly operator: 'and' | 'or';
  /** Two at least. */
  readonly operands: readonly Expr[];
}

export interface ConditionalExpr extends SourceSpan {
  readonly kind: 'conditional';
  readonly condition: Expr;
  readonly then: Expr;
  readonly otherwise: Expr;
}

export interface ListExpr extends SourceSpan {
  readonly kind: 'list';
  readonly items: readonly Expr[];
}

export interface ComprehensionExpr extends SourceSpan {
  readonly kind: 'comprehension';
  readonly element: Expr;
  readonly variable: string;
  readonly variablePlace: SourceSpan;
  readonly iterable: Expr;
  readonly filter: Expr | null;
}

export interface SubscriptExpr extends SourceSpan {
  readonly kind: 'subscript';
  readonly base: Expr;
  readonly index: Expr;
}

export interface SliceExpr extends SourceSpan {
  readonly kind: 'slice';
  readonly base: Expr;
  readonly lower: Expr | null;
  readonly upper: Expr | null;
  readonly step: Expr | null;
}
