import { nodeKindName } from '../../primitives/document.ts';
import type { ExtensionName } from '../extensions.ts';
import type { Findings } from '../findings.ts';
import { itemOf, memberOf, type Located, type Text } from '../located.ts';
import { suggestion } from '../../primitives/nearest.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

/** Allowed keys of an object. */
export type ObjectKeys = Readonly<Record<string, KeyRule>>;

type KeyRule =
  | 'required'
  | 'optional'
  /** Optional with the extension, and rejected without it. */
  | { readonly needs: ExtensionName }
  /** Optional with the extension, and required without it. */
  | { readonly requiredWithout: ExtensionName };

/** The present fields of an object, by key; an optional key with the value null counts as absent. */
export type Fields = ReadonlyMap<string, Located>;

/** Maximum number of unknown words per template with a suggestion, because the search is expensive. */
const MAX_SUGGESTIONS = 50;

/** Reads the parts of a template, and reports parts with an invalid shape. */
export class ObjectReader {
  readonly #findings: Findings;
  /** Those that the template declares. */
  readonly extensions: ReadonlySet<string>;
  #suggestions = 0;

  constructor(findings: Findings, extensions: ReadonlySet<string>) {
    this.#findings = findings;
    this.extensions = extensions;
  }

  /** Returns the fields of a mapping; undefined for other nodes. Reports unknown and missing keys. */
  object(at: Located | undefined, keys: ObjectKeys): Fields | undefined {
    if (at === undefined) return undefined;
    const { node } = at;
    if (node.kind !== 'mapping') return this.#wrong(at, 'a mapping');
    const fields = new Map<string, Located>();
    for (const entry of node.entries) {
      const member = memberOf(at, entry);
      const rule = Object.hasOwn(keys, entry.key) ? keys[entry.key] : undefined;
      const missing = rule === undefined ? undefined : this.#missingExtension(rule);
      if (rule === undefined) this.#unknownKey(member, entry.key, keys);
      else if (missing !== undefined) {
        this.#findings.addAtKey(member, `${quoteForMessage(entry.key)} requires the extension ${missing}`);
      } else if (entry.value.kind !== 'null' || this.#isRequired(rule)) fields.set(entry.key, member);
    }
    for (const [key, rule] of Object.entries(keys)) {
      if (this.#isRequired(rule) && !fields.has(key))
        this.#findings.add(at, `${quoteForMessage(key)} is required`);
    }
    return fields;
  }

  text(at: Located | undefined): Text | undefined {
    if (at === undefined) return undefined;
    const { node } = at;
    if (node.kind === 'string') return { value: node.value, at };
    const hint =
      node.kind === 'integer' || node.kind === 'float' || node.kind === 'boolean' ? '; put it in quotes' : '';
    return this.#wrong(at, 'text', hint);
  }

  /** Returns one of the words, matched exactly. */
  word<Word extends string>(
    at: Located | undefined,
    words: readonly Word[],
  ): { value: Word; at: Located } | undefined {
    const text = this.text(at);
    if (text === undefined) return undefined;
    const word = words.find((candidate) => candidate === text.value);
    if (word !== undefined) return { value: word, at: text.at };
    this.#findings.add(text.at, `must be one of ${words.join(', ')}, not ${quoteForMessage(text.value)}`);
    return undefined;
  }

  /** Returns the items of a list of 1 to `max` items. */
  list(at: Located | undefined, max: number): Located[] | undefined {
    if (at === undefined) return undefined;
    const { node } = at;
    if (node.kind !== 'sequence') {
      const hint = node.kind === 'string' ? '; write [a, b], or one line with "- " for each element' : '';
      return this.#wrong(at, 'a list', hint);
    }
    if (node.items.length === 0) this.#findings.add(at, 'must have at least one element');
    if (node.items.length > max) {
      this.#findings.add(at, `must not have more than ${max} elements, and has ${node.items.length}`);
      return node.items.slice(0, max).map((item, index) => itemOf(at, item, index));
    }
    return node.items.map((item, index) => itemOf(at, item, index));
  }

  texts(at: Located | undefined, max: number): Text[] | undefined {
    return this.list(at, max)?.flatMap((item) => this.text(item) ?? []);
  }

  boolean(at: Located | undefined): boolean | undefined {
    if (at === undefined) return undefined;
    return at.node.kind === 'boolean' ? at.node.value : this.#wrong(at, 'true or false');
  }

  /** Reports an error of a node. */
  refuse(at: Located, detail: string): void {
    this.#findings.add(at, detail);
  }

  /** Reports an error of a mapping entry's key. */
  refuseKey(at: Located, detail: string): void {
    this.#findings.addAtKey(at, detail);
  }

  /** Returns the extension that a key needs and the template does not declare. */
  #missingExtension(rule: KeyRule): ExtensionName | undefined {
    return typeof rule === 'object' && 'needs' in rule && !this.extensions.has(rule.needs)
      ? rule.needs
      : undefined;
  }

  #isRequired(rule: KeyRule): boolean {
    return typeof rule === 'object'
      ? 'requiredWithout' in rule && !this.extensions.has(rule.requiredWithout)
      : rule === 'required';
  }

  #unknownKey(member: Located, key: string, keys: ObjectKeys): void {
    const known = Object.entries(keys).flatMap(([name, rule]) =>
      this.#missingExtension(rule) === undefined ? name : [],
    );
    const near = ++this.#suggestions <= MAX_SUGGESTIONS ? suggestion(key, Object.keys(keys)) : '';
    const instead = near === '' && known.length > 0 ? `; known keys are ${known.join(', ')}` : near;
    this.#findings.addAtKey(member, `unknown key ${quoteForMessage(key)}${instead}`);
  }

  #wrong(at: Located, wanted: string, hint = ''): undefined {
    this.#findings.add(at, `must be ${wanted}, not ${nodeKindName(at.node)}${hint}`);
    return undefined;
  }
}
