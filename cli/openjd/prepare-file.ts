import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import {
  checkEnvironmentTemplate,
  environmentNameOf,
  type OuterEnvironment,
} from '../../src/openjd/template/check-environment.ts';
import { checkTemplate, type CheckedTemplate } from '../../src/openjd/template/check-template.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import { prepareJob, type PreparedJob } from '../../src/openjd/template/expand/prepare-job.ts';
import type { LanguageOptions, LocalPath } from '../../src/openjd/template/language/options.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { EXIT, PaintedError, type CommandError } from '../terminal/exit-codes.ts';
import { readTemplateFile, type TemplateFile } from '../submission/template-file.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findingsText } from './findings-text.ts';

/** Throws a CommandError with the errors of a template and their positions. */
const wrong = (file: TemplateFile, errors: readonly PointedError[], terminal: Terminal): CommandError =>
  new PaintedError(EXIT.failed, findingsText(file, errors, terminal.errorColors));

/** Reads the document of a template file. Throws a CommandError that shows why it cannot be read. */
export function readFile(file: TemplateFile, terminal: Terminal): DocumentNode {
  const read = readDocument(file.text, file.format);
  if (read.ok) return read.document;
  throw wrong(file, read.errors, terminal);
}

/** Returns the checked template. Throws a CommandError that shows all errors. */
export function checkFile(
  file: TemplateFile,
  document: DocumentNode,
  options: LanguageOptions,
  terminal: Terminal,
): CheckedTemplate {
  const checked = checkTemplate(document, options);
  if (checked.ok) return checked.template;
  throw wrong(file, checked.errors, terminal);
}

/** Returns the job of a template with the given values. Throws a CommandError that shows all errors. */
export function prepareFile(
  file: TemplateFile,
  document: DocumentNode,
  values: ReadonlyMap<string, string>,
  options: LanguageOptions,
  environments: readonly OuterEnvironment[],
  terminal: Terminal,
): PreparedJob {
  const prepared = prepareJob(document, values, options, { environments });
  if (prepared.ok) return prepared.job;
  throw wrong(file, prepared.errors, terminal);
}

/** Returns the checked environment template. Throws a CommandError that shows all errors. */
export function checkEnvironmentFile(
  file: TemplateFile,
  document: DocumentNode,
  options: LanguageOptions,
  terminal: Terminal,
): CheckedTemplate {
  const checked = checkEnvironmentTemplate(document, options);
  if (checked.ok) return checked.template;
  throw wrong(file, checked.errors, terminal);
}

/**
 * Returns the environment templates in files, in their order. Throws a CommandError that shows all errors of the first
 * one with errors.
 */
export async function environmentsOf(
  paths: readonly string[],
  options: LanguageOptions,
  terminal: Terminal,
  localPathOf?: (path: string) => LocalPath,
): Promise<readonly OuterEnvironment[]> {
  const environments: OuterEnvironment[] = [];
  for (const path of paths) {
    const file = await readTemplateFile(path);
    const template = checkEnvironmentFile(file, readFile(file, terminal), options, terminal);
    const source = `environment ${JSON.stringify(environmentNameOf(template))} (${file.name})`;
    environments.push({
      source,
      template,
      ...(localPathOf !== undefined && { localPath: localPathOf(path) }),
    });
  }
  return environments;
}
