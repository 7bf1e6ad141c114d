import { integer } from '../options/integer.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import type { CheckRulesOptions } from './check-retry-rules.ts';

/** `callsheet retry-rules` */
export const retryRules: Noun = {
  name: 'retry-rules',
  about: 'Check rules for failed attempts, and try them on a failure.',
  verbs: [
    verb<CheckRulesOptions>({
      name: 'check',
      about:
        'Check a file of retry rules, without a server. With a failure, shows which rule applies to it the first time.',
      arguments: [{ name: '<file>', help: 'YAML or JSON file with the rules; - is standard input' }],
      options: (command) =>
        command
          .option('--exit-code <n>', 'exit code of the failure', integer)
          .option('--log <file>', 'log of the failure; its last 200 lines are searched')
          .option('--message <text>', 'failure message of the worker', ''),
      run: async ([file = ''], options) =>
        (await import('./check-retry-rules.ts')).checkRetryRules(file, options),
    }),
  ],
};
