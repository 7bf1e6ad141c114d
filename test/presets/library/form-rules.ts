import type { ParameterShape } from '../../../src/openjd/template/shape/template-shape.ts';
import type { DocumentNode } from '../../../src/openjd/primitives/document.ts';
import type { Located } from '../../../src/openjd/template/located.ts';
import type { Preset } from './preset-files.ts';

const GROUPS = ['Scene', 'Frames', 'Output', 'Render', 'Advanced'];

/** Parameters that have the same meaning in all presets, so that a form can keep their values. */
const COMMON: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Frames: { type: 'RANGE_EXPR', default: '1-100' },
  FramesPerTask: { type: 'INT', minValue: '1', maxValue: '1000' },
  FrameRate: { type: 'FLOAT', minValue: '1', maxValue: '240' },
  Output: { type: 'PATH', objectType: 'FILE', dataFlow: 'OUT' },
  OutputDir: { type: 'PATH', objectType: 'DIRECTORY', dataFlow: 'OUT' },
  Scene: { type: 'PATH', objectType: 'FILE', dataFlow: 'IN' },
  ExtraArguments: { type: 'STRING', default: '' },
};

/** Returns what is missing in the form that the parameters of a preset make. */
export function formProblems({ template }: Preset): readonly string[] {
  return template.shape.parameters.flatMap((parameter) => {
    const name = parameter.name?.value ?? '';
    return [...fieldProblems(parameter), ...pathProblems(parameter), ...commonProblems(name, parameter)].map(
      (problem) => `parameter ${name}: ${problem}`,
    );
  });
}

function fieldProblems({ userInterface, description }: ParameterShape): readonly string[] {
  const group = userInterface?.groupLabel?.value ?? '';
  return [
    ...(userInterface?.control === undefined ? ['has no control'] : []),
    ...((userInterface?.label?.value ?? '').trim() === '' ? ['has no label'] : []),
    ...(GROUPS.includes(group) ? [] : [`has the group "${group}", which is not in the list`]),
    ...helpProblems((description?.value ?? '').trim()),
  ];
}

/** A help text is a sentence. A shorter one is often cut off: ` #` begins a comment in YAML. */
const helpProblems = (help: string): readonly string[] =>
  /[.)?]$/.test(help) && help.length >= 10 ? [] : [`has the help text "${help}", which is not a sentence`];

function pathProblems({ type, objectType, dataFlow, userInterface }: ParameterShape): readonly string[] {
  if (type !== 'PATH' && type !== 'LIST[PATH]') return [];
  const problems = [
    ...(objectType === undefined ? ['has no objectType'] : []),
    ...(dataFlow === undefined ? ['has no dataFlow'] : []),
  ];
  const isInputFile = objectType?.value === 'FILE' && dataFlow?.value !== 'OUT';
  const filters = userInterface?.fileFilters?.items ?? [];
  if (!isInputFile) return problems;
  const hasAll = filters.some(({ patterns }) => patterns.some(({ value }) => value === '*'));
  return hasAll ? problems : [...problems, 'has no file filter for all files'];
}

function commonProblems(name: string, parameter: ParameterShape): readonly string[] {
  const expected = Object.hasOwn(COMMON, name) ? COMMON[name] : undefined;
  const actual: Readonly<Record<string, string | undefined>> = {
    type: parameter.type,
    default: located(parameter.default),
    minValue: located(parameter.minValue),
    maxValue: located(parameter.maxValue),
    objectType: parameter.objectType?.value,
    dataFlow: parameter.dataFlow?.value,
  };
  return Object.entries(expected ?? {})
    .filter(([field, value]) => actual[field] !== value)
    .map(
      ([field, value]) =>
        `has ${field} ${actual[field] ?? 'none'} instead of ${value === '' ? 'an empty text' : value}`,
    );
}

const located = (at: Located | undefined): string | undefined => at && scalarText(at.node);

function scalarText(node: DocumentNode): string | undefined {
  if (node.kind === 'string') return node.value;
  return node.kind === 'integer' || node.kind === 'float' ? node.text : undefined;
}
