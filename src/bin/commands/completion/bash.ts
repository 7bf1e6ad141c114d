import type { Place } from './places.ts';
import {
  argumentBranches,
  commandPatterns,
  flagBranches,
  valueBranches,
  valuePatterns,
  type Taking,
} from './shell-cases.ts';

const TAKING: Taking = {
  words: (words) => `words='${words.join(' ')}'`,
  files: 'compopt -o default; return',
};

/** The completion of the command for bash 4.2 or newer. `=` is a word of its own there (COMP_WORDBREAKS). */
export const bashCompletion = (places: readonly Place[]): string => `# Completion of callsheet for bash.
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
    case "$place $word" in
      ${valuePatterns(places)}) expects=$word ;;
      ${commandPatterns(places)}) place="$place $word" ;;
      *) if [[ $word != -?* ]]; then at=$((at + 1)); fi ;;
    esac
  done
  if [[ $cur == '=' ]]; then cur=; fi
  if [[ -n $expects ]]; then
    case "$place $expects" in
${valueBranches(places, TAKING)}
    esac
  elif [[ $cur == -* ]]; then
    case "$place" in
${flagBranches(places, TAKING)}
    esac
  else
    case "$place $at" in
${argumentBranches(places, TAKING)}
    esac
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
}
complete -F _callsheet callsheet
`;
