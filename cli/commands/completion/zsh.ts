import { namesCommand, type CommandCompletion } from './command-completion.ts';
import { offer, step, type Taking } from './shell-cases.ts';

const TAKING: Taking = {
  words: (words) => `list=(${words.join(' ')})`,
  files: '_files; return',
  names: (list) => `list=($(${namesCommand(list)}))`,
};

/**
 * Returns the completion script for zsh, to be sourced after compinit or saved as `_callsheet` in a folder of fpath.
 */
export const zshCompletion = (places: readonly CommandCompletion[]): string => `#compdef callsheet
# Completion of callsheet for zsh.
_callsheet() {
  local place=callsheet expects= word= cur=$words[CURRENT]
  local -i i at=0
  local -a list
  for (( i = 2; i < CURRENT; i++ )); do
    word=$words[i]
    if [[ -n $expects ]]; then
      expects=
      continue
    fi
${step(places)}
  done
  if [[ -z $expects && $cur == --*=* ]]; then
    expects=\${cur%%=*}
    compset -P '*='
  fi
${offer(places, TAKING)}
  if (( $#list > 0 )); then compadd -a list; fi
}
if [[ $funcstack[1] == _callsheet ]]; then
  _callsheet "$@"
else
  compdef _callsheet callsheet
fi
`;
