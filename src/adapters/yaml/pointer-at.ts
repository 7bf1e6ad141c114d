import { isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import type { LineIndex } from '../../openjd/primitives/line-index.ts';
import { pointerTo } from '../../openjd/primitives/pointed-error.ts';

/** A part of a collection: its key or index, where it begins, and its node if it has one. */
interface Part {
  readonly key: string | number;
  readonly start: number;
  readonly node: unknown;
}

/**
 * Returns the JSON pointer of the innermost node that was parsed around an offset; empty at the top level. `root` may
 * be the incomplete tree of a text with errors.
 */
export function pointerAt(
  root: Node | null | undefined,
  offset: number,
  text: string,
  lines: LineIndex,
): string {
  const place = lines.at(offset);
  // A tab in the indentation says nothing about the level that was meant.
  const isBlank = /\s/.test(text[offset] ?? '');
  const path: (string | number)[] = [];
  let node: unknown = root;
  while (isMap<Node, Node | null>(node) || isSeq(node)) {
    const part = partAt(node, offset);
    if (part === undefined) break;
    const isBelow = place.line > lines.at(part.start).line;
    // A block collection has its keys, or its dashes, in one column.
    if (isBelow && !isBlank && node.flow !== true && place.column <= lines.at(startOf(node)).column) break;
    if (isScalar(part.node) && hasEnded(part.node, place.line, lines)) break;
    path.push(part.key);
    ({ node } = part);
  }
  return pointerTo(path);
}

/** Returns the last part of a collection that begins before the offset or at it. */
function partAt(collection: YAMLMap<Node, Node | null> | YAMLSeq, offset: number): Part | undefined {
  const parts: Part[] = isMap<Node, Node | null>(collection)
    ? collection.items.flatMap(({ key, value }) =>
        isScalar(key) ? { key: String(key.value), start: startOf(key), node: value } : [],
      )
    : collection.items.map((item, key) => ({ key, start: startOf(item), node: item }));
  return parts.findLast(({ start }) => start <= offset);
}

function startOf(node: unknown): number {
  const range = isMap(node) || isSeq(node) || isScalar(node) ? node.range : null;
  return range?.[0] ?? 0;
}

/** Reports whether a scalar ends in a line before the given one. An empty one may still begin there. */
function hasEnded(scalar: Node, line: number, lines: LineIndex): boolean {
  const [start, end] = scalar.range ?? [0, 0];
  return end > start && lines.at(end - 1).line < line;
}
