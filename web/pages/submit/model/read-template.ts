import type { ParameterType } from '../../../../src/openjd/template/plan.ts';
import {
  boolIn,
  TYPES,
  typeNamed,
  type Control,
  type FileFilter,
  type ParameterDefinition,
  type Value,
  type ValueRules,
} from './definition.ts';
import { decimalIn, integerIn } from './numbers.ts';
import type { PlainNode } from './plain-tree.ts';

/** The parts of a template that the form shows. Invalid parts are left out; the server reports them. */
export interface TemplateOutline {
  /** Unresolved: it can contain references. */
  readonly name: string;
  readonly description: string;
  readonly stepNames: readonly string[];
  readonly definitions: readonly ParameterDefinition[];
  /** Names of all definitions of the template by index, including invalid ones. */
  readonly parameterNames: readonly string[];
}

/** Reads the outline of an OpenJD job template (`jobtemplate-2023-09`). */
export function readTemplate(root: PlainNode): TemplateOutline {
  const extensions = listOf(member(root, 'extensions')).map(textOf);
  const parameters = listOf(member(root, 'parameterDefinitions'));
  return {
    name: textOf(member(root, 'name')),
    description: flowed(textOf(member(root, 'description'))),
    stepNames: listOf(member(root, 'steps')).map((step) => textOf(member(step, 'name'))),
    definitions: parameters.flatMap(
      (node, position) => definitionOf(node, position, extensions.includes('EXPR')) ?? [],
    ),
    parameterNames: parameters.map((node) => textOf(member(node, 'name'))),
  };
}

function definitionOf(node: PlainNode, position: number, hasExpr: boolean): ParameterDefinition | null {
  const name = textOf(member(node, 'name'));
  const written = textOf(member(node, 'type'));
  const type = typeNamed(hasExpr ? written.toUpperCase() : written);
  if (name === '' || type === null) return null;
  const ui = member(node, 'userInterface');
  const rules = rulesOf(node, type);
  const label = textOf(member(ui, 'label'));
  return {
    name,
    position,
    label: label === '' ? name : label,
    description: flowed(textOf(member(node, 'description'))),
    group: textOf(member(ui, 'groupLabel')),
    control: controlOf(node, ui, rules),
    rules,
    default: valueOf(type, member(node, 'default')),
    step: numberOf(member(ui, 'singleStepDelta')),
    decimals: countOf(member(ui, 'decimals')),
    filters: filtersOf(ui),
  };
}

/** Calls itself for the elements of a list, up to two levels. */
function rulesOf(node: PlainNode | undefined, type: ParameterType): ValueRules {
  const { element } = TYPES[type];
  const allowed = member(node, 'allowedValues');
  return {
    type,
    minLength: countOf(member(node, 'minLength')),
    maxLength: countOf(member(node, 'maxLength')),
    minValue: boundOf(type, member(node, 'minValue')),
    maxValue: boundOf(type, member(node, 'maxValue')),
    allowed: allowed?.kind === 'list' ? allowed.items.flatMap((item) => singleOf(type, item) ?? []) : null,
    item: element === null ? null : rulesOf(member(node, 'item'), element),
  };
}

/** Returns the control of the template if it is valid for the type, else the default of the type. */
function controlOf(node: PlainNode, ui: PlainNode | undefined, { type, allowed }: ValueRules): Control {
  const { controls } = TYPES[type];
  const wanted = controls.find((control) => control === textOf(member(ui, 'control')));
  if (wanted !== undefined) return wanted;
  if (allowed !== null && controls.includes('DROPDOWN_LIST')) return 'DROPDOWN_LIST';
  const [first = 'LINE_EDIT', output = first, directory = first] = controls;
  if (type !== 'PATH' && type !== 'LIST[PATH]') return first;
  if (textOf(member(node, 'objectType')) !== 'FILE') return directory;
  return textOf(member(node, 'dataFlow')) === 'OUT' ? output : first;
}

/** Converts a value of the template to a value of the form; null for none. */
function valueOf(type: ParameterType, node: PlainNode | undefined): Value | null {
  const { element } = TYPES[type];
  if (element === null || node === undefined) return node === undefined ? null : singleOf(type, node);
  if (node.kind !== 'list') return null;
  return node.items.map((item) => {
    const value = valueOf(element, item) ?? '';
    return typeof value === 'string' ? value : value.join(', ');
  });
}

/** Returns the normalized text of a single value: integers in plain decimal notation, booleans as `true` or `false`. */
function singleOf(type: ParameterType, node: PlainNode): string | null {
  if (node.kind === 'null' || node.kind === 'list' || node.kind === 'map') return null;
  const text = node.kind === 'boolean' ? `${node.value}` : node.text;
  if (type === 'INT') return integerText(text);
  if (type !== 'BOOL') return text;
  const value = boolIn(text);
  return value === null ? text : `${value}`;
}

/** Normalizes an integer: `007` and `7.0` become `7`. */
function integerText(text: string): string {
  const value = integerIn(text);
  if (typeof value === 'bigint') return `${value}`;
  const decimal = decimalIn(text);
  return decimal !== null && Number.isSafeInteger(decimal) ? `${decimal}` : text;
}

function filtersOf(ui: PlainNode | undefined): readonly FileFilter[] {
  const first = member(ui, 'fileFilterDefault');
  const nodes = [...(first === undefined ? [] : [first]), ...listOf(member(ui, 'fileFilters'))];
  const filters = nodes.map((node) => ({
    label: textOf(member(node, 'label')),
    patterns: listOf(member(node, 'patterns')).map(textOf),
  }));
  return filters.filter(({ label }, at) => filters.findIndex((other) => other.label === label) === at);
}

const member = (node: PlainNode | undefined, key: string): PlainNode | undefined =>
  node?.kind === 'map' ? node.members.get(key) : undefined;

const textOf = (node: PlainNode | undefined): string => (node?.kind === 'text' ? node.text : '');

const listOf = (node: PlainNode | undefined): readonly PlainNode[] =>
  node?.kind === 'list' ? node.items : [];

const writtenNumber = (node: PlainNode | undefined): string =>
  node?.kind === 'number' || node?.kind === 'text' ? node.text : '';

/** Joins the lines of a paragraph. Paragraphs, lists and indented lines keep their line breaks. */
const flowed = (text: string): string => text.trim().replaceAll(/(?<=\S)\n(?=[^\s*•-])/g, ' ');

const numberOf = (node: PlainNode | undefined): string | null => {
  const text = writtenNumber(node);
  return decimalIn(text) === null ? null : text;
};

/** Reads a limit of numbers; limits of integers are normalized for calculations. */
function boundOf(type: ParameterType, node: PlainNode | undefined): string | null {
  const text = writtenNumber(node);
  if (type !== 'INT') return decimalIn(text) === null ? null : text;
  const plain = integerText(text);
  return typeof integerIn(plain) === 'bigint' ? plain : null;
}

const countOf = (node: PlainNode | undefined): number | null => {
  const text = writtenNumber(node);
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
};
