/**
 * States: linked (ready to search), not linked (texts were added). Invariants: each node but the root has one edge in
 * the hash table, which is at most half full. Exits: none, texts are never removed.
 */

/** A part of a text: from `start` up to, but without, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const ROOT = 0;
const SLOTS_AT_FIRST = 256;
const CODE_UNITS = 65_536;

/**
 * Finds all occurrences of many texts at once (Aho and Corasick). The time is linear in the searched text, independent
 * of the number and length of the search texts. Texts are sequences of UTF-16 code units.
 *
 * `add` extends the trie. The failure links are rebuilt before the next search.
 */
export class TextSearch {
  /** Edges of the trie as a hash table with open addressing: a slot with child 0 is free. */
  private parents = new Int32Array(SLOTS_AT_FIRST);
  private units = new Uint16Array(SLOTS_AT_FIRST);
  private children = new Int32Array(SLOTS_AT_FIRST);
  /** By node: its parent and the unit of that edge. */
  private readonly parentOf: number[] = [ROOT];
  private readonly unitOf: number[] = [0];
  private readonly depths: number[] = [0];
  private readonly ends: boolean[] = [false];
  private readonly openEnds: boolean[] = [false];
  /** The first units of all texts. */
  private readonly isFirst = new Uint8Array(CODE_UNITS);
  /** By node: its failure link, the node of the longest proper suffix that is a prefix of a text. */
  private links = new Int32Array(1);
  /** By node: length of the longest text that ends here; 0 for none. */
  private longest = new Int32Array(1);
  /**
   * By node: length of the longest open text that ends here, whose matches extend to the end of the searched text; 0
   * for none.
   */
  private longestOpen = new Int32Array(1);
  private isLinked = true;

  /** Number of nodes without the root. Memory is proportional to it. */
  get size(): number {
    return this.depths.length - 1;
  }

  /** Adds a search text. With `isOpen` each match extends to the end of the searched text. Ignores an empty text. */
  add(text: string, isOpen: boolean): void {
    if (text === '') return;
    let node = ROOT;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const child = this.childOf(node, unit);
      node = child === ROOT ? this.grow(node, unit) : child;
    }
    this.isFirst[text.charCodeAt(0)] = 1;
    this.ends[node] = true;
    if (isOpen) this.openEnds[node] = true;
    this.isLinked = false;
  }

  /**
   * Returns the occurrences in order, overlapping ones merged. With `isCut` the end of the text is missing: a prefix of
   * a search text at the end counts as an occurrence.
   */
  find(text: string, isCut: boolean): Span[] {
    const { spans, begun } = this.scan(text);
    if (isCut && begun > 0) cover(spans, text.length - begun, text.length);
    return spans;
  }

  /**
   * Returns the occurrences in order, overlapping ones merged; the length of the longest prefix of a search text at the
   * end; and whether an open occurrence extends beyond the end.
   */
  scan(text: string): { readonly spans: Span[]; readonly begun: number; readonly isOpen: boolean } {
    if (!this.isLinked) this.link();
    const found: Span[] = [];
    if (this.size === 0) return { spans: found, begun: 0, isOpen: false };
    let node = ROOT;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (node === ROOT && this.isFirst[unit] === 0) continue;
      node = this.next(node, unit);
      const open = this.longestOpen[node] ?? 0;
      if (open > 0) {
        cover(found, at + 1 - open, text.length);
        return { spans: found, begun: 0, isOpen: true };
      }
      const length = this.longest[node] ?? 0;
      if (length > 0) cover(found, at + 1 - length, at + 1);
    }
    return { spans: found, begun: this.depths[node] ?? 0, isOpen: false };
  }

  private next(from: number, unit: number): number {
    for (let node = from; ; node = this.links[node] ?? ROOT) {
      const child = this.childOf(node, unit);
      if (child !== ROOT || node === ROOT) return child;
    }
  }

  private grow(parent: number, unit: number): number {
    const child = this.depths.length;
    this.parentOf.push(parent);
    this.unitOf.push(unit);
    this.depths.push((this.depths[parent] ?? 0) + 1);
    this.ends.push(false);
    this.openEnds.push(false);
    if (child * 2 > this.children.length) this.widen();
    this.put(parent, unit, child);
    return child;
  }

  private widen(): void {
    const slots = this.children.length * 2;
    this.parents = new Int32Array(slots);
    this.units = new Uint16Array(slots);
    this.children = new Int32Array(slots);
    // The caller inserts the newest node.
    for (let child = 1; child < this.depths.length - 1; child++) {
      this.put(this.parentOf[child] ?? ROOT, this.unitOf[child] ?? 0, child);
    }
  }

  private put(parent: number, unit: number, child: number): void {
    const slot = this.slotOf(parent, unit);
    this.parents[slot] = parent;
    this.units[slot] = unit;
    this.children[slot] = child;
  }

  /** Returns the slot of an edge, or the free slot for it. */
  private slotOf(parent: number, unit: number): number {
    const mask = this.children.length - 1;
    let slot = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 7;
    for (slot &= mask; this.children[slot] !== ROOT; slot = (slot + 1) & mask) {
      if (this.parents[slot] === parent && this.units[slot] === unit) break;
    }
    return slot;
  }

  /** Returns the child by an edge, or the root if there is none. */
  private childOf(parent: number, unit: number): number {
    return this.children[this.slotOf(parent, unit)] ?? ROOT;
  }

  private link(): void {
    const nodes = this.depths.length;
    this.links = new Int32Array(nodes);
    this.longest = new Int32Array(nodes);
    this.longestOpen = new Int32Array(nodes);
    for (const node of this.byDepth()) {
      const parent = this.parentOf[node] ?? ROOT;
      const link = parent === ROOT ? ROOT : this.next(this.links[parent] ?? ROOT, this.unitOf[node] ?? 0);
      this.links[node] = link;
      const depth = this.depths[node] ?? 0;
      this.longest[node] = this.ends[node] === true ? depth : (this.longest[link] ?? 0);
      this.longestOpen[node] = this.openEnds[node] === true ? depth : (this.longestOpen[link] ?? 0);
    }
    this.isLinked = true;
  }

  /** Returns all nodes except the root, by depth. */
  private byDepth(): Int32Array {
    const nodes = this.depths.length;
    const starts = new Int32Array(nodes + 1);
    for (let node = 1; node < nodes; node++) {
      const depth = this.depths[node] ?? 0;
      starts[depth + 1] = (starts[depth + 1] ?? 0) + 1;
    }
    for (let depth = 1; depth <= nodes; depth++)
      starts[depth] = (starts[depth] ?? 0) + (starts[depth - 1] ?? 0);
    const ordered = new Int32Array(nodes - 1);
    for (let node = 1; node < nodes; node++) {
      const depth = this.depths[node] ?? 0;
      const place = starts[depth] ?? 0;
      ordered[place] = node;
      starts[depth] = place + 1;
    }
    return ordered;
  }
}

/** Appends a span and merges it with the last ones if they overlap. */
function cover(spans: Span[], from: number, end: number): void {
  let start = from;
  for (let last = spans.at(-1); last !== undefined && last.end > start; last = spans.at(-1)) {
    start = Math.min(start, last.start);
    spans.pop();
  }
  spans.push({ start, end });
}
