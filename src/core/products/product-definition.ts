import type { ReadResult } from '../../openjd/template/read-result.ts';
import type { DocumentNode, MappingEntry, Position } from '../../openjd/primitives/document.ts';
import { nodeAt, plainValueOf } from '../../openjd/primitives/plain-value.ts';
import type { RegexEngine } from '../../openjd/expr/regex/regex-engine.ts';
import { pointerTo, type PointedError } from '../../openjd/primitives/pointed-error.ts';
import type { TemplateFormat } from '../records/job.ts';
import { readRetryRules } from '../retry-rules/read-rules.ts';
import type { RetryRule } from '../retry-rules/retry-rule.ts';
import { productTextErrors, type ProductTexts } from './product-rules.ts';

/** A product apart from where it is stored (docs/contract/products.md#fields). */
export interface ProductDefinition extends ProductTexts {
  /** Text of the OpenJD template. */
  readonly template: string;
  readonly format: TemplateFormat;
  /** Rules that its jobs get (docs/retry-rules.md). Absent: none. */
  readonly retryRules?: readonly RetryRule[];
}

export type DefinitionResult =
  | { readonly ok: true; readonly definition: ProductDefinition }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

const TEXTS = ['name', 'title', 'description', 'category', 'version', 'readme'] as const;
const MEMBERS: readonly string[] = [...TEXTS, 'template', 'format', 'retry_rules'];
const REQUIRED: readonly string[] = ['name', 'title', 'template'];

/** Template of a definition file: the text if the file holds it as text, null if it is inline. */
interface DefinitionParts {
  readonly texts: ProductTexts;
  readonly templateText: string | null;
  readonly format: TemplateFormat;
  readonly retryRules: readonly RetryRule[];
}

export type PartsResult =
  | { readonly ok: true; readonly parts: DefinitionParts }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/**
 * Reads the members of a definition file (docs/contract/products.md#definition-files). Errors name member, line and
 * column; a member that the format does not have is an error, because it is most likely misspelled.
 */
export function definitionParts(read: ReadResult, regex: RegexEngine): PartsResult {
  if (!read.ok) return read;
  const { document } = read;
  if (document.kind !== 'mapping') return { ok: false, errors: [errorAt('', document, 'must be a mapping')] };
  const entries = new Map(document.entries.map((entry) => [entry.key, entry]));
  const errors = [
    ...unknownMembers(document.entries),
    ...REQUIRED.filter((name) => !entries.has(name)).map((name) =>
      errorAt('', document, `misses the member ${name}`),
    ),
  ];
  const text = (name: string): string => textOf(errors, entries.get(name));
  const [name = '', title = '', description = '', category = '', version = '', readme = ''] = TEXTS.map(text);
  const texts = { name, title, description, category, version, readme };
  if (errors.length === 0) {
    for (const [field, detail] of productTextErrors(texts))
      errors.push(errorAt(`/${field}`, entries.get(field)?.value ?? document, detail));
  }
  const format = formatOf(errors, entries.get('format')?.value);
  const template = entries.get('template')?.value;
  if (template !== undefined && template.kind !== 'mapping' && template.kind !== 'string')
    errors.push(errorAt('/template', template, 'must be a job template'));
  const retryRules = rulesOf(errors, entries.get('retry_rules')?.value, regex);
  if (errors.length > 0) return { ok: false, errors };
  return {
    ok: true,
    parts: { texts, templateText: template?.kind === 'string' ? template.value : null, format, retryRules },
  };
}

const unknownMembers = (entries: readonly MappingEntry[]): PointedError[] =>
  entries
    .filter(({ key }) => !MEMBERS.includes(key))
    .map(({ key, keyAt }) =>
      errorAt(
        pointerTo([key]),
        keyAt,
        `is not a member of a product definition; members are ${MEMBERS.join(', ')}`,
      ),
    );

/** A missing member is empty. A number as text, so that `version: 1.0` gets the error of a version. */
function textOf(errors: PointedError[], entry: MappingEntry | undefined): string {
  const node = entry?.value;
  if (node === undefined) return '';
  if (node.kind === 'string') return node.value;
  if (node.kind === 'null') return '';
  if (node.kind === 'float' || node.kind === 'integer') return node.text;
  errors.push(errorAt(`/${entry?.key ?? ''}`, node, 'must be text'));
  return '';
}

function formatOf(errors: PointedError[], node: DocumentNode | undefined): TemplateFormat {
  if (node === undefined) return 'yaml';
  if (node.kind === 'string' && (node.value === 'yaml' || node.value === 'json')) return node.value;
  errors.push(errorAt('/format', node, 'must be yaml or json'));
  return 'yaml';
}

const RULES_POINTER = '/retry_rules';

function rulesOf(
  errors: PointedError[],
  node: DocumentNode | undefined,
  regex: RegexEngine,
): readonly RetryRule[] {
  if (node === undefined || node.kind === 'null') return [];
  const read = readRetryRules(plainValueOf(node), RULES_POINTER, regex);
  if (read.ok) return read.rules;
  for (const { pointer, detail } of read.errors)
    errors.push(errorAt(pointer, nodeAt(node, pointer.slice(RULES_POINTER.length)), detail));
  return [];
}

const errorAt = (pointer: string, { line, column }: Position, detail: string): PointedError => ({
  pointer,
  detail,
  line,
  column,
});
