import { FILE_PATTERN, fieldRules } from '../field-rules.ts';
import type { Findings } from '../findings.ts';
import { decimalOf, integerOf } from '../../primitives/numbers.ts';
import type { ParameterTypeRow } from '../parameter-types.ts';
import type { FileFilterShape, ParameterShape, UserInterfaceShape } from '../shape/template-shape.ts';
import { checkText } from '../text-checks.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

/**
 * Controls that offer a choice of the allowed values and require them, for types that can have them (sections 2.1 to
 * 2.4).
 */
export const CHOICES: readonly string[] = ['DROPDOWN_LIST', 'CHECK_BOX'];
const NUMBER_CONTROLS: readonly string[] = ['SPIN_BOX', 'SPIN_BOX_LIST'];
const FILE_CONTROLS: readonly string[] = [
  'CHOOSE_INPUT_FILE',
  'CHOOSE_OUTPUT_FILE',
  'CHOOSE_INPUT_FILE_LIST',
  'CHOOSE_OUTPUT_FILE_LIST',
];
const DIRECTORY_CONTROLS: readonly string[] = ['CHOOSE_DIRECTORY', 'CHOOSE_DIRECTORY_LIST'];
const CHECK_BOX_PAIRS: readonly (readonly [string, string])[] = [
  ['true', 'false'],
  ['yes', 'no'],
  ['on', 'off'],
  ['1', '0'],
];

/** Pass 4, `userInterface`: the control must fit the parameter, and its settings must fit the control. */
export function checkUserInterface(
  findings: Findings,
  shape: ParameterShape,
  row: ParameterTypeRow,
  limits: TemplateLimits,
): void {
  const ui = shape.userInterface;
  if (ui === undefined) return;
  const { label } = fieldRules(limits);
  checkText(findings, ui.label, label);
  checkText(findings, ui.groupLabel, label);
  checkControl(findings, shape, row, ui);
  const control = controlOf(shape, row);
  checkNumberSettings(findings, ui, row, control);
  checkFilters(findings, ui, row, control, limits);
}

function checkControl(
  findings: Findings,
  shape: ParameterShape,
  row: ParameterTypeRow,
  ui: UserInterfaceShape,
): void {
  const control = ui.control;
  if (control === undefined || control.value === 'HIDDEN') return;
  const canChoose = row.constraints.includes('allowedValues');
  if (canChoose && CHOICES.includes(control.value)) {
    if (shape.allowedValues === undefined)
      findings.add(control.at, `${control.value} requires allowedValues`);
    else if (control.value === 'CHECK_BOX') checkPair(findings, shape, ui);
  } else if (shape.allowedValues !== undefined) {
    findings.add(control.at, `${control.value} cannot be used with allowedValues`);
  }
  const objectType = shape.objectType?.value;
  if (objectType === 'DIRECTORY' && FILE_CONTROLS.includes(control.value)) {
    findings.add(control.at, `${control.value} cannot be used with objectType DIRECTORY`);
  }
  if (objectType === 'FILE' && DIRECTORY_CONTROLS.includes(control.value)) {
    findings.add(control.at, `${control.value} cannot be used with objectType FILE`);
  }
}

function checkPair(findings: Findings, shape: ParameterShape, ui: UserInterfaceShape): void {
  const values = (shape.allowedValues?.items ?? []).map(({ node }) =>
    node.kind === 'string' ? node.value.toLowerCase() : '',
  );
  const fits = CHECK_BOX_PAIRS.some(
    (pair) => values.length === 2 && pair.every((word) => values.includes(word)),
  );
  if (!fits && ui.control !== undefined) {
    const pairs = CHECK_BOX_PAIRS.map((pair) => pair.join('/')).join(', ');
    findings.add(ui.control.at, `CHECK_BOX requires two allowedValues, one of the pairs ${pairs}`);
  }
}

/** Returns the control of a parameter: that of its definition, or the default of its type (sections 2.1 to 2.16). */
export function controlOf(shape: ParameterShape, row: ParameterTypeRow): string {
  const given = shape.userInterface?.control?.value;
  if (given !== undefined) return given;
  if (shape.allowedValues !== undefined) return 'DROPDOWN_LIST';
  const [first = '', output = '', directory = ''] = row.controls;
  if (!row.isPath) return first;
  if (shape.objectType?.value !== 'FILE') return directory;
  return shape.dataFlow?.value === 'OUT' ? output : first;
}

function checkNumberSettings(
  findings: Findings,
  ui: UserInterfaceShape,
  row: ParameterTypeRow,
  control: string,
): void {
  for (const setting of [ui.decimals, ui.singleStepDelta]) {
    if (setting !== undefined && !NUMBER_CONTROLS.includes(control))
      findings.add(setting, `can be used with ${row.controls[0] ?? ''} only`);
  }
  if (ui.decimals !== undefined) {
    const value = ui.decimals.node.kind === 'string' ? 'must be an integer' : integerOf(ui.decimals.node);
    if (typeof value === 'string') findings.add(ui.decimals, value);
    else if (value < 0n) findings.add(ui.decimals, 'must be at least 0');
  }
  if (ui.singleStepDelta === undefined) return;
  const { node } = ui.singleStepDelta;
  const delta =
    node.kind === 'string'
      ? 'must be a number'
      : (row.element ?? row.type) === 'INT'
        ? integerOf(node)
        : decimalOf(node);
  if (typeof delta === 'string') findings.add(ui.singleStepDelta, delta);
  else if (Number(typeof delta === 'bigint' ? delta : delta.value) <= 0) {
    findings.add(ui.singleStepDelta, 'must be greater than 0');
  }
}

/** Sections 2.7 and 2.8. */
function checkFilters(
  findings: Findings,
  ui: UserInterfaceShape,
  row: ParameterTypeRow,
  control: string,
  limits: TemplateLimits,
): void {
  const filters: FileFilterShape[] = [...(ui.fileFilters?.items ?? [])];
  if (ui.fileFilterDefault !== undefined) filters.push(ui.fileFilterDefault);
  if (!FILE_CONTROLS.includes(control)) {
    const own = FILE_CONTROLS.filter((name) => row.controls.includes(name)).join(' and ');
    for (const at of [ui.fileFilters?.at, ui.fileFilterDefault?.at]) {
      if (at !== undefined) findings.add(at, `can be used with ${own} only`);
    }
  }
  for (const filter of filters) {
    checkText(findings, filter.label, fieldRules(limits).label);
    for (const pattern of filter.patterns) {
      checkText(findings, pattern, fieldRules(limits).filePattern);
      if (pattern.value !== '' && !FILE_PATTERN.test(pattern.value)) {
        findings.add(
          pattern.at,
          `${quoteForMessage(pattern.value)} is not a file pattern: write *, *.* or *.ext`,
        );
      }
    }
  }
}
