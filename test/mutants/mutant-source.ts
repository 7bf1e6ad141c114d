import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Mutant } from './mutant.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};

/**
 * Returns the text of a file with the mutant in it. Throws if the text to replace does not occur exactly once, which means
 * that the mutant is stale.
 */
export function mutantText({ name, file, from, to }: Mutant): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const at = text.indexOf(from);
  const occurrences = at < 0 ? 'no longer' : text.includes(from, at + 1) ? 'more than once' : null;
  if (occurrences !== null)
    throw new Error(`stale mutant: ${name}\n${file} contains this text ${occurrences}:\n${from}`);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/** Returns the compiled source of a mutant. Throws also if it is not valid TypeScript, which every test would find. */
export function mutantSource(mutant: Mutant): string {
  const { name, file } = mutant;
  const { outputText, diagnostics = [] } = ts.transpileModule(mutantText(mutant), {
    compilerOptions: OPTIONS,
    fileName: file,
    reportDiagnostics: true,
  });
  const errors = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  if (errors.length > 0)
    throw new Error(`mutant with a syntax error: ${name}\n${file}: ${errors.join('\n')}`);
  return outputText;
}
