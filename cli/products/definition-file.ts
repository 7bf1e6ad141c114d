import { readDefinition } from '../../src/adapters/yaml/read-definition.ts';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import type { ProductDefinition } from '../../src/core/products/product-definition.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { checkTemplate, type CheckResult } from '../../src/openjd/template/check-template.ts';
import { describeTemplate, type TemplateDescription } from '../../src/openjd/template/describe-template.ts';
import { errorText } from '../terminal/error-text.ts';
import { CommandError, EXIT, PaintedError } from '../terminal/exit-codes.ts';
import { readTextFile, type TextFile } from '../terminal/text-file.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findingsText } from '../openjd/findings-text.ts';
import { LISTING } from '../openjd/limits.ts';

/** A definition file without errors. */
export interface DefinitionFile {
  /** Name of the file in messages. */
  readonly name: string;
  readonly definition: ProductDefinition;
  readonly description: TemplateDescription;
}

/**
 * Reads definition files and checks them with their templates, without a server. Throws a CommandError with the errors of
 * all files, each with its line if the template is inline (docs/contract/products.md#definition-files). Two files for
 * one product are an error.
 */
export async function readDefinitionFiles(
  paths: readonly string[],
  terminal: Terminal,
): Promise<readonly DefinitionFile[]> {
  const files: DefinitionFile[] = [];
  const failures: CommandError[] = [];
  for (const path of paths) {
    try {
      files.push(await readOne(path, terminal));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      failures.push(error);
    }
  }
  const [first] = failures;
  if (first !== undefined) throw new PaintedError(first.exitCode, failures.map(errorText).join('\n'));
  assertDistinct(files);
  return files;
}

function assertDistinct(files: readonly DefinitionFile[]): void {
  const seen = new Map<string, string>();
  for (const { name, definition } of files) {
    const other = seen.get(definition.name);
    if (other !== undefined)
      throw new CommandError(EXIT.usage, `${other} and ${name} both define the product ${definition.name}`);
    seen.set(definition.name, name);
  }
}

async function readOne(path: string, terminal: Terminal): Promise<DefinitionFile> {
  const file = await readTextFile(path, 'definition file');
  const refuse = (errors: readonly PointedError[]): CommandError =>
    new PaintedError(EXIT.failed, findingsText(file, errors, terminal.errorColors));
  const read = readDefinition(file.text);
  if (!read.ok) throw refuse(read.errors);
  const { definition } = read;
  // The stored text is what counts; the file has the positions.
  const checked = checkText(definition.template, definition.format);
  if (!checked.ok) throw refuse(templateErrors(file, checked.errors));
  return { name: file.name, definition, description: describeTemplate(checked.template) };
}

function checkText(text: string, format: ProductDefinition['format']): CheckResult {
  const read = readDocument(text, format);
  return read.ok ? checkTemplate(read.document, LISTING) : read;
}

/** Returns the errors of a template with their positions in the file if it is inline, else without. */
function templateErrors({ text }: TextFile, storedErrors: readonly PointedError[]): readonly PointedError[] {
  const inline = inlineTemplate(text);
  const checked = inline === null ? null : checkTemplate(inline, LISTING);
  if (checked !== null && !checked.ok)
    return checked.errors.map((error) => ({ ...error, pointer: `/template${error.pointer}` }));
  return storedErrors.map(({ pointer, detail }) => ({ pointer: `/template${pointer}`, detail }));
}

/** Returns the node of an inline template, with positions in the file; null if the template is a text. */
function inlineTemplate(text: string): DocumentNode | null {
  const read = readDocument(text, 'yaml');
  if (!read.ok || read.document.kind !== 'mapping') return null;
  const node = read.document.entries.find(({ key }) => key === 'template')?.value;
  return node?.kind === 'mapping' ? node : null;
}
