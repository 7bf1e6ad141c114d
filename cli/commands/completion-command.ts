import { Argument, Command } from 'commander';
import { bashCompletion } from './completion/bash.ts';
import { fishCompletion } from './completion/fish.ts';
import { completionsOf } from './completion/command-completion.ts';
import { zshCompletion } from './completion/zsh.ts';

/** Generators of the completion script, by shell. */
const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
type Shell = keyof typeof SCRIPTS;

function completion(shell: Shell, _options: unknown, command: Command): void {
  let program = command;
  while (program.parent !== null) program = program.parent;
  process.stdout.write(SCRIPTS[shell](completionsOf(program)));
}

/** `callsheet completion` */
export const completionCommand = (): Command =>
  new Command('completion')
    .description('Print a script that completes commands, options and their values in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      [
        '',
        'bash: put  source <(callsheet completion bash)  into ~/.bashrc',
        'zsh:  put  source <(callsheet completion zsh)  into ~/.zshrc, after compinit',
        'fish: callsheet completion fish > ~/.config/fish/completions/callsheet.fish',
      ].join('\n'),
    )
    .action(completion);
