import type { ParameterType } from '../../../../src/openjd/template/plan.ts';

/** A parameter of the form. Templates are its only source so far. */
export interface ParameterDefinition {
  readonly name: string;
  /** Index among the definitions of the source, from 0. Errors refer to it. */
  readonly position: number;
  readonly label: string;
  readonly description: string;
  /** Heading of its group; empty for none. */
  readonly group: string;
  readonly control: Control;
  readonly rules: ValueRules;
  /** Null if a value is required. */
  readonly default: Value | null;
  /** Step of a spin box; null for 1. */
  readonly step: string | null;
  readonly decimals: number | null;
  readonly filters: readonly FileFilter[];
}

/** A value in the form: a text, or the texts of the elements of a list. An element that is a list has the form "1, 2". */
export type Value = string | readonly string[];

/** Rules of a value or of an element. Numbers are text, because they can have 64 bits. */
export interface ValueRules {
  readonly type: ParameterType;
  /** In characters for a text, in elements for a list. */
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly minValue: string | null;
  readonly maxValue: string | null;
  readonly allowed: readonly string[] | null;
  /** Rules of each element of a list. */
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
  /** The first is the default, except for paths and for parameters with allowed values. */
  readonly controls: readonly Control[];
}

/** The parameter types and their controls (OpenJD, sections 2.1 to 2.16). */
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
  // OpenJD defines no control for this type. A row holds the integers of one list.
  'LIST[LIST[INT]]': { element: 'LIST[INT]', controls: ['LINE_EDIT_LIST', 'HIDDEN'] },
};

/** Returns the type with a name in capital letters, or null. */
export const typeNamed = (name: string): ParameterType | null =>
  (Object.keys(TYPES) as ParameterType[]).find((type) => type === name) ?? null;

const TRUE_WORDS: readonly string[] = ['true', 'yes', 'on', '1'];
const FALSE_WORDS: readonly string[] = ['false', 'no', 'off', '0'];

/** Parses a boolean word, case-insensitive; null for any other text. */
export function boolIn(text: string): boolean | null {
  const word = text.toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  return FALSE_WORDS.includes(word) ? false : null;
}

/** Returns the values of a check box. */
export function checkBoxWords({ type, allowed }: ValueRules): { readonly on: string; readonly off: string } {
  if (type === 'BOOL') return { on: 'true', off: 'false' };
  const on = allowed?.find((word) => boolIn(word) === true) ?? 'true';
  return { on, off: allowed?.find((word) => boolIn(word) === false) ?? 'false' };
}

/** Returns the length in code points, as OpenJD counts characters. */
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

/** Returns the visible definitions by group, in the order in which the groups first occur. */
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

/** Reports whether the form shows a parameter. A hidden one without a default is shown, because it needs a value. */
export const isShown = ({ control, default: fallback }: ParameterDefinition): boolean =>
  control !== 'HIDDEN' || fallback === null;
