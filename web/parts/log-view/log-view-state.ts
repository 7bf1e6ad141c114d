import { choiceField, flagField, textField } from '../../state/use-url-state.ts';

/** View options in the page address. */
export const LOG_VIEW = {
  find: textField(),
  regex: flagField,
  case: flagField,
  stream: choiceField(['all', 'stdout', 'stderr'], 'all'),
};

export interface LogViewState {
  readonly find: string;
  readonly regex: boolean;
  readonly case: boolean;
  readonly stream: 'all' | 'stdout' | 'stderr';
}
