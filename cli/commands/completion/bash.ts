import { namesCommand, type CommandCompletion } from './command-completion.ts';
import { offer, step, type Taking } from './shell-cases.ts';

const TAKING: Taking = {
  words: (words) => `words='${words.join(' ')}'`,
  files: 'compopt -o default; return',
  names: (list) => `words=$(${namesCommand(list)})`,
};

/** Returns the completion script for bash 4.2 or newer. There, `=` is a word of its own (COMP_WORDBREAKS). */
export const bashCompletion = (
  places: readonly CommandCompletion[],
): string => `# Completion of callsheet for bash.
_callsheet() {
  local place=callsheet expects= words= word i at=0 cur=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $expects ]]; then
      expects=
      continue
    fi
${step(places)}
  done
  if [[ $cur == '=' ]]; then cur=; fi
${offer(places, TAKING)}
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
}
complete -F _callsheet callsheet
`;
