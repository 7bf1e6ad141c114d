import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { EXCERPT_LIMITS } from '../../src/core/failure/failure-excerpt.ts';
import { ruleSentence } from '../../src/core/retry-rules/applied-rule.ts';
import { decideRule } from '../../src/core/retry-rules/decide.ts';
import { fieldsOfRule, versionOfRules } from '../../src/core/retry-rules/retry-rule.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { integer } from '../options/integer.ts';
import { readRetryRulesFile } from '../options/retry-rules.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import { printResult } from '../output/output.ts';
import { readTextFile } from '../terminal/text-file.ts';

interface CheckOptions extends ClientOptions {
  readonly exitCode?: number;
  readonly log?: string;
  readonly message: string;
}

/** Memory in MiB of the tried failure: an amount to raise. */
const TRIED_MEMORY_MIB = 1024;

/** `callsheet retry-rules` */
export const retryRules: Noun = {
  name: 'retry-rules',
  about: 'Check rules for failed attempts, and try them on a failure.',
  verbs: [
    verb<CheckOptions>({
      name: 'check',
      about:
        'Check a file of retry rules, without a server. With a failure, shows which rule applies to it the first time.',
      arguments: [{ name: '<file>', help: 'YAML or JSON file with the rules; - is standard input' }],
      options: (command) =>
        command
          .option('--exit-code <n>', 'exit code of the failure', integer)
          .option('--log <file>', 'log of the failure; its last 200 lines are searched')
          .option('--message <text>', 'failure message of the worker', ''),
      run: ([file = ''], options) => check(file, options),
    }),
  ],
};

async function check(file: string, options: CheckOptions): Promise<void> {
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
