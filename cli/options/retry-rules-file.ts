import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { readRetryRules } from '../../src/core/retry-rules/read-rules.ts';
import { type RetryRule } from '../../src/core/retry-rules/retry-rule.ts';
import { nodeAt, plainValueOf } from '../../src/openjd/primitives/plain-value.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { findingsText } from '../openjd/findings-text.ts';
import { EXIT, PaintedError, type CommandError } from '../terminal/exit-codes.ts';
import { readTextFile } from '../terminal/text-file.ts';
import type { Terminal } from '../terminal/terminal.ts';

const MEMBER = '/retry_rules';

/**
 * Reads retry rules from a YAML or JSON file: a list, or a mapping with the member `retry_rules`. Throws a CommandError
 * with the line of each error.
 */
export async function readRetryRulesFile(path: string, terminal: Terminal): Promise<readonly RetryRule[]> {
  const file = await readTextFile(path, 'file of retry rules');
  const read = readDocument(file.text, 'yaml');
  const refuse = (errors: readonly PointedError[]): CommandError =>
    new PaintedError(EXIT.usage, findingsText(file, errors, terminal.errorColors));
  if (!read.ok) throw refuse(read.errors);
  const { document } = read;
  const pointer = document.kind === 'mapping' ? MEMBER : '';
  const node = nodeAt(document, pointer);
  const rules = readRetryRules(plainValueOf(node), pointer, createRe2Engine());
  if (rules.ok) return rules.rules;
  throw refuse(
    rules.errors.map((error) => {
      const { line, column } = nodeAt(document, error.pointer);
      return { ...error, line, column };
    }),
  );
}
