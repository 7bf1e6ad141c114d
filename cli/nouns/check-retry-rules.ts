import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { EXCERPT_LIMITS } from '../../src/core/failure/failure-excerpt.ts';
import { ruleSentence } from '../../src/core/retry-rules/applied-rule.ts';
import { decideRule } from '../../src/core/retry-rules/decide.ts';
import { fieldsOfRule, versionOfRules } from '../../src/core/retry-rules/retry-rule.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { readRetryRulesFile } from '../options/retry-rules-file.ts';
import { printResult } from '../output/output.ts';
import { readTextFile } from '../terminal/text-file.ts';

export interface CheckRulesOptions extends ClientOptions {
  readonly exitCode?: number;
  readonly log?: string;
  readonly message: string;
}

/** Memory in MiB of the tried failure: an amount to raise. */
const TRIED_MEMORY_MIB = 1024;

/**
 * Checks a file of retry rules and prints them. With a failure in the options, prints the rule that applies to it the first
 * time. Throws a CommandError with the line of each error.
 */
export async function checkRetryRules(file: string, options: CheckRulesOptions): Promise<void> {
  const context = contextOf(options);
  const rules = await readRetryRulesFile(file, context.terminal);
  const version = versionOfRules(rules);
  const isTried = options.exitCode !== undefined || options.log !== undefined || options.message !== '';
  const lines = options.log === undefined ? [] : (await readTextFile(options.log, 'log')).text.split('\n');
  const decision = isTried
    ? decideRule(
        {
          sets: [{ level: 'job', of: '', rules }],
          uses: {},
          requirements: { cores: null, computeLocation: '', amounts: [], pools: [], attributes: [] },
          raised: [],
        },
        {
          exitCode: options.exitCode,
          message: options.message,
          excerpt: lines.slice(-EXCERPT_LIMITS.searchedLines).join('\n'),
          logMatches: [],
          startedAt: 0,
          maxRssMib: TRIED_MEMORY_MIB,
        },
        createRe2Engine(),
      )
    : null;
  const applied = decision === null ? null : decision.applied.rule;
  const reply = { version, retry_rules: rules.map(fieldsOfRule), ...(isTried && { rule: applied }) };
  printResult(context, reply, () => {
    const names = rules.map(({ name, action }) => `${name} (${action})`).join(', ');
    const head = `${rules.length} rules, version ${version}: ${names}\n`;
    if (!isTried) return head;
    return `${head}${decision === null ? 'No rule applies: the retry settings decide.' : ruleSentence(decision.applied)}\n`;
  });
}
