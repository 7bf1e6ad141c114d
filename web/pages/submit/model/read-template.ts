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

/** What the form shows of a template. What is not as it should be is left out: the service says what is wrong with it. */
export interface TemplateOutline {
  /** As written: it may hold references. */
  readonly name: string;
  readonly description: string;
  readonly stepNames: readonly string[];
  readonly definitions: readonly ParameterDefinition[];
  /** Name of each definition of the template by its place, of broken ones as well. */
  readonly parameterNames: readonly string[];
}

/** Reads an OpenJD job template (`jobtemplate-2023-09`) as far as a form needs it. */
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

/** Recursive: types nest twice. */
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

/** The control that is asked for, where the type has it, else that of the type. */
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

/** A value of the template as it stands in the form; null for none. */
function valueOf(type: ParameterType, node: PlainNode | undefined): Value | null {
  const { element } = TYPES[type];
  if (element === null || node === undefined) return node === undefined ? null : singleOf(type, node);
  if (node.kind !== 'list') return null;
  return node.items.map((item) => {
    const value = valueOf(element, item) ?? '';
    return typeof value === 'string' ? value : value.join(', ');
  });
}

/** The text of a single value in one form: integers in plain decimal, `true` and `false`. */
function singleOf(type: ParameterType, node: PlainNode): string | null {
  if (node.kind === 'null' || node.kind === 'list' || node.kind === 'map') return null;
  const text = node.kind === 'boolean' ? `${node.value}` : node.text;
  if (type === 'INT') return integerText(text);
  if (type !== 'BOOL') return text;
  const value = boolIn(text);
  return value === null ? text : `${value}`;
}

/** `007` is 7, and so is a whole number that is written with a point. */
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

/** Text without the line breaks that only kept it narrow: paragraphs, lists and what is indented stay as they are. */
const flowed = (text: string): string => text.trim().replaceAll(/(?<=\S)\n(?=[^\s*•-])/g, ' ');

const numberOf = (node: PlainNode | undefined): string | null => {
  const text = writtenNumber(node);
  return decimalIn(text) === null ? null : text;
};

/** A limit of numbers; of integers in plain decimal, because it is counted with. */
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
