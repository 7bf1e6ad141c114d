import type { ParameterDefinition, Value } from '../model/definition.ts';
import type { ValueProblem } from '../model/check-value.ts';

/** What every control of a parameter is given. */
export interface ParameterProps {
  readonly definition: ParameterDefinition;
  /** Null for a value that is missing. */
  readonly value: Value | null;
  readonly problems: readonly ValueProblem[];
  /** Roots of storage locations, offered where a path is asked for. */
  readonly roots: readonly string[];
  /** Null for no value, so that the default is taken again. */
  readonly onChange: (value: Value | null) => void;
  readonly onLeave: () => void;
}

/** What is wrong with the value as a whole, or with one element of it. */
export const problemAt = (problems: readonly ValueProblem[], index: number | null): string =>
  problems
    .filter((problem) => problem.index === index)
    .map(({ detail }) => detail)
    .join('\n');

const KINDS: Readonly<Partial<Record<ParameterDefinition['control'], string>>> = {
  CHOOSE_INPUT_FILE: 'input file',
  CHOOSE_OUTPUT_FILE: 'output file',
  CHOOSE_DIRECTORY: 'directory',
  CHOOSE_INPUT_FILE_LIST: 'input files',
  CHOOSE_OUTPUT_FILE_LIST: 'output files',
  CHOOSE_DIRECTORY_LIST: 'directories',
};

/** What a path is for, in words; empty for what is no path. */
export const kindOf = ({ control, rules }: ParameterDefinition): string =>
  KINDS[control] ?? (rules.type === 'RANGE_EXPR' ? 'range' : '');

/** The filters of files, in words: a browser cannot look into the storage of the farm. */
export const filtersText = ({ filters }: ParameterDefinition): string =>
  filters.map(({ label, patterns }) => `${label} (${patterns.join(', ')})`).join(' · ');
