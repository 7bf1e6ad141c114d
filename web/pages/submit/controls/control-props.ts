import type { ParameterDefinition, Value } from '../model/definition.ts';
import type { ValueProblem } from '../model/check-value.ts';

/** Properties of every control of a parameter. */
export interface ParameterProps {
  readonly definition: ParameterDefinition;
  /** Null for a missing value. */
  readonly value: Value | null;
  readonly problems: readonly ValueProblem[];
  /** Roots of storage locations, suggested for paths. */
  readonly roots: readonly string[];
  /** Null removes the value, so that the default applies. */
  readonly onChange: (value: Value | null) => void;
  readonly onLeave: () => void;
}

/** Returns the problems of the element at an index, or of the whole value for null; one a line. */
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

/** Returns the kind of a path or range, such as “input file”; empty for other types. */
export const kindOf = ({ control, rules }: ParameterDefinition): string =>
  KINDS[control] ?? (rules.type === 'RANGE_EXPR' ? 'range' : '');

/** Formats the file filters. They are only shown, because a browser cannot list the storage of the farm. */
export const filtersText = ({ filters }: ParameterDefinition): string =>
  filters.map(({ label, patterns }) => `${label} (${patterns.join(', ')})`).join(' · ');
