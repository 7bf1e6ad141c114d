import type { ParameterType } from '../../../../src/openjd/template/plan.ts';

/** What is asked for, whatever asks: the parameters of a template are the first source, those of a product may be another. */
export interface ParameterDefinition {
  readonly name: string;
  /** Place among the definitions of the source, from 0: errors point at it. */
  readonly position: number;
  readonly label: string;
  readonly description: string;
  /** Heading under which it stands; empty for none. */
  readonly group: string;
  readonly control: Control;
  readonly rules: ValueRules;
  /** Null where a value has to be given. */
  readonly default: Value | null;
  /** Of a spin box; null for 1. */
  readonly step: string | null;
  readonly decimals: number | null;
  readonly filters: readonly FileFilter[];
}

/** A value as it stands in the form: the text of a single one, the texts of the elements of a list (of a list of lists, "1, 2"). */
export type Value = string | readonly string[];

/** What a value, or an element of it, has to satisfy. Numbers are text: they may have 64 bits. */
export interface ValueRules {
  readonly type: ParameterType;
  /** Of a text in characters, of a list in elements. */
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly minValue: string | null;
  readonly maxValue: string | null;
  readonly allowed: readonly string[] | null;
  /** Of each element of a list. */
  readonly item: ValueRules | null;
}

export interface FileFilter {
  readonly label: string;
  readonly patterns: readonly string[];
}

/** OpenJD, userInterface. */
export type Control =
  | 'LINE_EDIT'
  | 'MULTILINE_EDIT'
  | 'DROPDOWN_LIST'
  | 'CHECK_BOX'
  | 'SPIN_BOX'
  | 'CHOOSE_INPUT_FILE'
  | 'CHOOSE_OUTPUT_FILE'
  | 'CHOOSE_DIRECTORY'
  | 'LINE_EDIT_LIST'
  | 'SPIN_BOX_LIST'
  | 'CHECK_BOX_LIST'
  | 'CHOOSE_INPUT_FILE_LIST'
  | 'CHOOSE_OUTPUT_FILE_LIST'
  | 'CHOOSE_DIRECTORY_LIST'
  | 'HIDDEN';

const PATH_CONTROLS: readonly Control[] = ['CHOOSE_INPUT_FILE', 'CHOOSE_OUTPUT_FILE', 'CHOOSE_DIRECTORY'];
const PATH_LIST_CONTROLS: readonly Control[] = [
  'CHOOSE_INPUT_FILE_LIST',
  'CHOOSE_OUTPUT_FILE_LIST',
  'CHOOSE_DIRECTORY_LIST',
];

interface TypeRow {
  readonly element: ParameterType | null;
  /** The first is the default, but for paths and where values are allowed. */
  readonly controls: readonly Control[];
}

/** The types of parameters and the controls that they may have (OpenJD, sections 2.1 to 2.16). */
export const TYPES: Readonly<Record<ParameterType, TypeRow>> = {
  STRING: {
    element: null,
    controls: ['LINE_EDIT', 'MULTILINE_EDIT', 'DROPDOWN_LIST', 'CHECK_BOX', 'HIDDEN'],
  },
  PATH: { element: null, controls: [...PATH_CONTROLS, 'DROPDOWN_LIST', 'HIDDEN'] },
  INT: { element: null, controls: ['SPIN_BOX', 'DROPDOWN_LIST', 'HIDDEN'] },
  FLOAT: { element: null, controls: ['SPIN_BOX', 'DROPDOWN_LIST', 'HIDDEN'] },
  BOOL: { element: null, controls: ['CHECK_BOX', 'HIDDEN'] },
  RANGE_EXPR: { element: null, controls: ['LINE_EDIT', 'HIDDEN'] },
  'LIST[STRING]': { element: 'STRING', controls: ['LINE_EDIT_LIST', 'HIDDEN'] },
  'LIST[PATH]': { element: 'PATH', controls: [...PATH_LIST_CONTROLS, 'HIDDEN'] },
  'LIST[INT]': { element: 'INT', controls: ['SPIN_BOX_LIST', 'HIDDEN'] },
  'LIST[FLOAT]': { element: 'FLOAT', controls: ['SPIN_BOX_LIST', 'HIDDEN'] },
  'LIST[BOOL]': { element: 'BOOL', controls: ['CHECK_BOX_LIST', 'HIDDEN'] },
  // OpenJD names no control for it; a row holds the integers of one list.
  'LIST[LIST[INT]]': { element: 'LIST[INT]', controls: ['LINE_EDIT_LIST', 'HIDDEN'] },
};

/** The type of the name as it is written in capitals, or null. */
export const typeNamed = (name: string): ParameterType | null =>
  (Object.keys(TYPES) as ParameterType[]).find((type) => type === name) ?? null;

const TRUE_WORDS: readonly string[] = ['true', 'yes', 'on', '1'];
const FALSE_WORDS: readonly string[] = ['false', 'no', 'off', '0'];

/** What a word says of yes or no, in any case; null when it says nothing. */
export function boolIn(text: string): boolean | null {
  const word = text.toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  return FALSE_WORDS.includes(word) ? false : null;
}

/** The two words between which a check box chooses. */
export function checkBoxWords({ type, allowed }: ValueRules): { readonly on: string; readonly off: string } {
  if (type === 'BOOL') return { on: 'true', off: 'false' };
  const on = allowed?.find((word) => boolIn(word) === true) ?? 'true';
  return { on, off: allowed?.find((word) => boolIn(word) === false) ?? 'false' };
}

/** Length in characters (code points), as OpenJD counts. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Definitions that share a heading. */
export interface Group {
  readonly label: string;
  readonly definitions: readonly ParameterDefinition[];
}

/** What the form shows, by group, in the order in which the groups first occur. */
export function groupsOf(definitions: readonly ParameterDefinition[]): readonly Group[] {
  const groups = new Map<string, ParameterDefinition[]>();
  for (const definition of definitions) {
    if (!isShown(definition)) continue;
    const group = groups.get(definition.group) ?? [];
    group.push(definition);
    groups.set(definition.group, group);
  }
  return [...groups].map(([label, members]) => ({ label, definitions: members }));
}

/** What is hidden has a default that is sent; without one it can only be asked for. */
export const isShown = ({ control, default: fallback }: ParameterDefinition): boolean =>
  control !== 'HIDDEN' || fallback === null;
