/**
 * Search filters of a directory (RFC 4515) as trees. A filter of the configuration is parsed once, with placeholders
 * such as `{username}` in its values; each login puts its values into the tree. A value is never parsed as a filter.
 */

import { unescapeLdap } from './escaped-bytes.ts';

/** A filter with values of type `Value`. */
export type FilterTree<Value> =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly FilterTree<Value>[] }
  | { readonly kind: 'not'; readonly filter: FilterTree<Value> }
  | { readonly kind: 'present'; readonly attribute: string }
  | { readonly kind: Comparison; readonly attribute: string; readonly value: Value }
  | {
      readonly kind: 'substrings';
      readonly attribute: string;
      readonly initial: string;
      readonly any: readonly string[];
      readonly final: string;
    }
  | {
      readonly kind: 'extensible';
      /** Empty: every attribute that the rule applies to. */
      readonly attribute: string;
      /** Empty: the equality rule of the attribute. */
      readonly rule: string;
      readonly isDnIncluded: boolean;
      readonly value: Value;
    };

type Comparison = 'equal' | 'approximate' | 'at-least' | 'at-most';

export type Placeholder = 'username' | 'dn';

/** Text, or a placeholder. */
export type TemplatePart = { readonly text: string } | { readonly placeholder: Placeholder };

export type FilterTemplate = FilterTree<readonly TemplatePart[]>;
export type DirectoryFilter = FilterTree<string>;

/** The tree, or what is wrong with the text. */
export type ParsedTemplate =
  | { readonly ok: true; readonly template: FilterTemplate }
  | { readonly ok: false; readonly wrong: string };

const TEXT_MAX = 4_096;
const DEPTH_MAX = 20;

const ATTRIBUTE = '(?:[A-Za-z][A-Za-z0-9-]*|[0-9]+(?:\\.[0-9]+)+)(?:;[A-Za-z0-9-]+)*';
const ITEM = new RegExp(
  `^(${ATTRIBUTE})?(=|~=|>=|<=|(:[Dd][Nn])?(?::([A-Za-z0-9.-]+))?:=)([^()\\u0000]*)$`,
  'u',
);

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['=', 'equal'],
  ['~=', 'approximate'],
  ['>=', 'at-least'],
  ['<=', 'at-most'],
]);

class TemplateError extends Error {}

/** Parses a filter that may contain these placeholders, and must contain one of them. */
export function parseFilterTemplate(text: string, placeholders: readonly Placeholder[]): ParsedTemplate {
  const names = placeholders.map((name) => `{${name}}`).join(' or ');
  if (text.length > TEXT_MAX) return { ok: false, wrong: `is longer than ${TEXT_MAX} characters` };
  try {
    const reader = new TemplateReader(text.trim(), placeholders);
    const template = reader.read();
    return reader.hasPlaceholder ? { ok: true, template } : { ok: false, wrong: `must contain ${names}` };
  } catch (error) {
    if (error instanceof TemplateError) return { ok: false, wrong: error.message };
    throw error;
  }
}

/** Reads one filter by recursive descent. */
class TemplateReader {
  hasPlaceholder = false;
  private readonly text: string;
  private readonly placeholders: readonly Placeholder[];
  private at = 0;

  constructor(text: string, placeholders: readonly Placeholder[]) {
    this.text = text;
    this.placeholders = placeholders;
  }

  read(): FilterTemplate {
    const filter = this.filter(1);
    if (this.at < this.text.length) throw new TemplateError(`has text after its end: ${this.rest()}`);
    return filter;
  }

  private rest(): string {
    return JSON.stringify(this.text.slice(this.at, this.at + 40));
  }

  private take(character: string): void {
    if (this.text.charAt(this.at) !== character)
      throw new TemplateError(`must have ${character} at position ${this.at + 1}`);
    this.at++;
  }

  private filter(depth: number): FilterTemplate {
    if (depth > DEPTH_MAX) throw new TemplateError(`has more than ${DEPTH_MAX} levels of parentheses`);
    this.take('(');
    const sign = this.text.charAt(this.at);
    const filter =
      sign === '&' || sign === '|'
        ? this.group(sign, depth)
        : sign === '!'
          ? this.negation(depth)
          : this.item();
    this.take(')');
    return filter;
  }

  private group(sign: '&' | '|', depth: number): FilterTemplate {
    this.at++;
    const filters: FilterTemplate[] = [];
    while (this.text.charAt(this.at) === '(') filters.push(this.filter(depth + 1));
    if (filters.length === 0) throw new TemplateError(`has ${sign} without a filter`);
    return { kind: sign === '&' ? 'and' : 'or', filters };
  }

  private negation(depth: number): FilterTemplate {
    this.at++;
    return { kind: 'not', filter: this.filter(depth + 1) };
  }

  private item(): FilterTemplate {
    const end = this.text.indexOf(')', this.at);
    const text = this.text.slice(this.at, end < 0 ? undefined : end);
    const match = ITEM.exec(text);
    if (match === null) throw new TemplateError(`has an invalid comparison: ${JSON.stringify(text)}`);
    this.at += text.length;
    const [, attribute = '', operator = '', dn, rule = '', value = ''] = match;
    const kind = COMPARISONS.get(operator);
    if (kind === undefined) {
      if (attribute === '' && rule === '')
        throw new TemplateError(`has a comparison without an attribute: ${JSON.stringify(text)}`);
      return {
        kind: 'extensible',
        attribute,
        rule,
        isDnIncluded: dn !== undefined,
        value: this.value(value),
      };
    }
    if (attribute === '')
      throw new TemplateError(`has a comparison without an attribute: ${JSON.stringify(text)}`);
    if (kind === 'equal' && value.includes('*')) return this.pattern(attribute, value);
    return { kind, attribute, value: this.value(value) };
  }

  private pattern(attribute: string, value: string): FilterTemplate {
    if (value === '*') return { kind: 'present', attribute };
    const pieces = value.split('*').map((piece) => this.literal(piece));
    if (value.includes('{'))
      throw new TemplateError(`has a placeholder in a value with *: ${JSON.stringify(value)}`);
    const any = pieces.slice(1, -1);
    if (any.includes('')) throw new TemplateError(`has ** in a value: ${JSON.stringify(value)}`);
    return { kind: 'substrings', attribute, initial: pieces[0] ?? '', any, final: pieces.at(-1) ?? '' };
  }

  private value(text: string): readonly TemplatePart[] {
    if (text === '') throw new TemplateError('has a comparison without a value');
    const parts: TemplatePart[] = [];
    // Odd pieces are the names in braces.
    for (const [index, piece] of text.split(/\{([^{}]*)\}/).entries()) {
      if (index % 2 === 1) parts.push({ placeholder: this.placeholder(piece) });
      else if (piece !== '') parts.push({ text: this.literal(piece) });
    }
    return parts;
  }

  private placeholder(name: string): Placeholder {
    const known = this.placeholders.find((one) => one === name);
    if (known === undefined)
      throw new TemplateError(`has an unknown placeholder: {${name}}; write \\7b for a brace`);
    this.hasPlaceholder = true;
    return known;
  }

  private literal(text: string): string {
    const value = unescapeLdap(text, 'hex-only');
    if (value === null)
      throw new TemplateError(`has an invalid escape in ${JSON.stringify(text)}: write \\xx for each byte`);
    return value;
  }
}

/** Returns the filter of a template with these values. They are used as they are: no character in them is special. */
export function expandFilter(
  template: FilterTemplate,
  values: Readonly<Partial<Record<Placeholder, string>>>,
): DirectoryFilter {
  const expanded = (parts: readonly TemplatePart[]): string =>
    parts
      .map((part) => {
        if ('text' in part) return part.text;
        const value = values[part.placeholder];
        if (value === undefined) throw new RangeError(`no value for {${part.placeholder}}`);
        return value;
      })
      .join('');
  switch (template.kind) {
    case 'and':
    case 'or':
      return { kind: template.kind, filters: template.filters.map((each) => expandFilter(each, values)) };
    case 'not':
      return { kind: 'not', filter: expandFilter(template.filter, values) };
    case 'present':
    case 'substrings':
      return template;
    case 'extensible':
      return { ...template, value: expanded(template.value) };
    default:
      return { ...template, value: expanded(template.value) };
  }
}

/**
 * Returns the attribute that must be equal to the username alone, such as `uid` in `(uid={username})`: it contains the
 * name of the user in the directory. Returns null if there is none. The first one counts.
 */
export function usernameAttribute(template: FilterTemplate): string | null {
  switch (template.kind) {
    case 'and':
    case 'or':
      for (const each of template.filters) {
        const found = usernameAttribute(each);
        if (found !== null) return found;
      }
      return null;
    case 'equal': {
      const [part, ...others] = template.value;
      const isUsername = part !== undefined && 'placeholder' in part && part.placeholder === 'username';
      return isUsername && others.length === 0 ? template.attribute : null;
    }
    default:
      return null;
  }
}
