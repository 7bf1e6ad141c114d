import { ExprFailure } from '../expr-failure.ts';
import type { Call } from '../functions/call.ts';
import { PROPERTY_NAMES } from '../functions/library.ts';
import type { AttributeExpr, Expr, NameExpr, SourceSpan } from '../syntax/tree.ts';
import type { Value } from '../values/value.ts';
import type { Frame, Node } from './frame.ts';
import { didYouMean } from './mismatch.ts';
import type { Scope } from './scope.ts';

/** `a.b.c`, by its parts; the `place` of a part extends from the beginning to it. */
export interface DottedName {
  readonly parts: readonly NamePart[];
}

export interface NamePart {
  readonly name: string;
  readonly place: SourceSpan;
}

/** Returns the dotted name that an expression is, or null if its base is not a name. */
export function dottedName(expr: NameExpr | AttributeExpr): DottedName | null {
  const parts: NamePart[] = [];
  let at: Expr = expr;
  while (at.kind === 'attribute') {
    parts.push({ name: at.name, place: at });
    at = at.base;
  }
  if (at.kind !== 'name') return null;
  parts.push({ name: at.name, place: at });
  return { parts: parts.reverse() };
}

/**
 * Compiles a dotted name: a comprehension variable, or the symbol with the longest matching prefix. The rest of the
 * name are properties; `property` compiles one.
 */
export function nameNode(
  dotted: DottedName,
  scope: Scope,
  property: (part: NamePart, base: Node) => Node,
): Node {
  const { parts } = dotted;
  const slot = scope.locals.lastIndexOf(parts[0]?.name ?? '');
  if (slot >= 0) return parts.slice(1).reduce((base, part) => property(part, base), localNode(slot));
  const symbols = prefixesOf(parts);
  const whole = formOf(parts, symbols, parts.length, property, scope.locals);
  if (parts.length === 1) return whole;
  // Only one form is compiled, once it is known how many parts are the symbol: all forms would be many nodes.
  let made = parts.length;
  let form = whole;
  return (frame) => {
    const last = symbols.findLastIndex((symbol) => frame.symbols.has(symbol));
    const count = last === -1 ? parts.length : last + 1;
    if (count !== made) {
      form = formOf(parts, symbols, count, property, scope.locals);
      made = count;
    }
    return form(frame);
  };
}

/** Returns the first part of the name, the first two parts, and so on. */
function prefixesOf(parts: readonly NamePart[]): readonly string[] {
  const whole = parts.map(({ name }) => name).join('.');
  let end = -1;
  return parts.map(({ name }) => {
    end += 1 + name.length;
    return whole.slice(0, end);
  });
}

/** Compiles the name as a symbol of `count` parts with properties after it. */
function formOf(
  parts: readonly NamePart[],
  symbols: readonly string[],
  count: number,
  property: (part: NamePart, base: Node) => Node,
  locals: readonly string[],
): Node {
  const place = parts[count - 1]?.place ?? { start: 0, end: 0, caret: 0 };
  const base = symbolNode(symbols[count - 1] ?? '', { ...place, caret: place.start }, locals);
  return parts.slice(count).reduce((node, part) => property(part, node), base);
}

const localNode =
  (slot: number): Node =>
  (frame) => {
    const value = frame.locals[slot] ?? null;
    frame.call.chargeNodes(1);
    frame.call.hold(frame.call.memory, value);
    return value;
  };

function symbolNode(symbol: string, place: SourceSpan, locals: readonly string[]): Node {
  return (frame) => {
    const value = frame.symbols.get(symbol);
    if (value === undefined)
      throw undefinedName(symbol, [...locals, ...frame.symbols.keys()], frame.call).at(place);
    checkStyle(value, frame, place);
    frame.call.chargeNodes(1);
    frame.call.hold(frame.call.memory, value);
    return value;
  };
}

const isUri = (value: Value): boolean =>
  typeof value === 'object' && value?.kind === 'path' && value.style === 'uri';

/**
 * Fails for a path in another format than the context's. In a list, the first element that is not a URI is checked: all
 * elements come from the same source.
 */
function checkStyle(value: Value, frame: Frame, place: SourceSpan): void {
  if (typeof value !== 'object' || value === null) return;
  if (value.kind === 'list') {
    const told = value.items.find((item) => !isUri(item)) ?? null;
    checkStyle(told, frame, place);
  }
  if (value.kind !== 'path' || value.style === 'uri' || value.style === frame.call.pathStyle) return;
  throw new ExprFailure(
    `Path format mismatch: the value is a ${value.style} path, and paths are ${frame.call.pathStyle} here`,
  ).at(place);
}

const PROPERTIES_AT_END = new RegExp(`(?:\\.(?:${PROPERTY_NAMES.join('|')}))+$`);

/**
 * Returns the failure of an undefined symbol, with the nearest one. `names` are the defined symbols and the
 * comprehension variables.
 */
export function undefinedName(symbol: string, names: readonly string[], call: Call | null): ExprFailure {
  // The end of the name may be properties of the intended symbol.
  const properties = PROPERTIES_AT_END.exec(symbol)?.[0] ?? '';
  const base = didYouMean(symbol.slice(0, symbol.length - properties.length), names, call);
  const near = base === '' ? didYouMean(symbol, names, call) : base + properties;
  return new ExprFailure(`Undefined variable: '${symbol}'${near}`);
}
