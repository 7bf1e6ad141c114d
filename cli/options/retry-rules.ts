import type { RetryRuleFields } from '../../src/core/retry-rules/retry-rule.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Help of the option that sets retry rules. */
export const RETRY_RULES_HELP = 'YAML or JSON file with the rules for failed attempts; none removes them';

const NONE = 'none';

/** Returns the rules of the option `--retry-rules`, in the format of the REST API; undefined without the option. */
export async function retryRulesChange(
  given: string | undefined,
  terminal: Terminal,
): Promise<RetryRuleFields[] | undefined> {
  if (given === undefined) return undefined;
  if (given === NONE) return [];
  const { readRetryRulesFile } = await import('./retry-rules-file.ts');
  const { fieldsOfRule } = await import('../../src/core/retry-rules/retry-rule.ts');
  return (await readRetryRulesFile(given, terminal)).map(fieldsOfRule);
}
