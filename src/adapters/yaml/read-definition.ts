import { Document, isMap, isNode, parseDocument, visit, type Node } from 'yaml';
import {
  definitionParts,
  type DefinitionResult,
  type ProductDefinition,
} from '../../core/products/product-definition.ts';
import { DOCUMENT_LIMITS } from '../../openjd/primitives/document-limits.ts';
import { fieldsOfRule } from '../../core/retry-rules/retry-rule.ts';
import { createRe2Engine } from '../regex/re2-engine.ts';
import { readYaml } from './read-yaml.ts';
import { yamlText } from './write-yaml.ts';

const regex = createRe2Engine();

/**
 * Reads a definition file of a product: YAML, or JSON, which is YAML as well. An inline template is written out as a
 * template of its own, with its comments and literal blocks. Returns all errors with line and column
 * (docs/contract/products.md#definition-files). The template is not checked here.
 */
export function readDefinition(source: string): DefinitionResult {
  const read = definitionParts(readYaml(source, DOCUMENT_LIMITS), regex);
  if (!read.ok) return read;
  const { texts, templateText, format, retryRules } = read.parts;
  const template = templateText ?? (format === 'json' ? inlineJson(source) : inlineYaml(source));
  return {
    ok: true,
    definition: { ...texts, template, format, ...(retryRules.length > 0 && { retryRules }) },
  };
}

const YAML = { version: '1.2', schema: 'core', logLevel: 'silent' } as const;

/** Parses a document that the careful reader has accepted, so that size and depth are known to be within the limits. */
const parsed = (source: string): Document.Parsed => parseDocument(source, YAML);

/** Its aliases were counted by the careful reader. */
const valueOfTemplate = (document: Document.Parsed): unknown => {
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  return typeof value === 'object' && value !== null && 'template' in value ? value.template : {};
};

function inlineYaml(source: string): string {
  const document = parsed(source);
  const node = isMap(document.contents) ? document.contents.get('template', true) : undefined;
  const template = new Document();
  // An alias may name an anchor outside of the template.
  template.contents = isNode(node) && !hasAlias(node) ? node : template.createNode(valueOfTemplate(document));
  return yamlText(template);
}

const inlineJson = (source: string): string =>
  `${JSON.stringify(valueOfTemplate(parsed(source)), null, 2)}\n`;

function hasAlias(node: Node): boolean {
  let isFound = false;
  visit(node, {
    Alias: () => {
      isFound = true;
      return visit.BREAK;
    },
  });
  return isFound;
}

/** Returns the definition file of a product, which `readDefinition` reads back to an equal definition. */
export function writeDefinition(definition: ProductDefinition): string {
  const { template, format, retryRules = [], ...texts } = definition;
  const head = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
  const document = new Document({
    ...head,
    ...(format === 'json' && { format }),
    ...(retryRules.length > 0 && { retry_rules: retryRules.map(fieldsOfRule) }),
  });
  const inline = format === 'yaml' ? parsed(template) : null;
  const node = inline === null ? null : inlineNode(inline);
  document.set('template', node ?? template);
  return yamlText(document, { blockQuote: 'literal' });
}

/** Returns the node of a template that can be inline; null for one that loses a comment or an anchor there. */
function inlineNode(template: Document.Parsed): Node | null {
  const { contents, errors, comment, commentBefore } = template;
  const isWhole = errors.length === 0 && comment === null && commentBefore === null;
  return isWhole && isMap(contents) && !hasAlias(contents) ? contents : null;
}
