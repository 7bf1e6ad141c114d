import { RULE_SYMBOLS } from '../deliveries.ts';
import { STRING } from '../../expr/type-system/expr-type.ts';
import { unresolvedOf } from '../../expr/values/value.ts';
import type { Findings } from '../findings.ts';
import type { Scope } from '../scope.ts';
import type { DeliveryShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { TextChecker } from '../text-checker.ts';
import { checkIdentifier, checkText } from '../text-checks.ts';

const ANY_LENGTH = Number.MAX_SAFE_INTEGER;
/** Format strings with names only, with or without EXPR: their names have values for each rule. */
const RULE_SCOPE: Scope = {
  symbols: new Map(Object.values(RULE_SYMBOLS).map((symbol) => [symbol, unresolvedOf(STRING)])),
  elsewhere: new Map(),
  isHost: true,
};

/** Pass 10: path deliveries of the template and of each step (docs/decisions/path-delivery.md). */
export function checkPathDelivery(findings: Findings, template: TemplateShape, limits: TemplateLimits): void {
  const checker = new TextChecker(findings, null);
  for (const { deliveries } of [template, ...template.steps]) {
    const seen = new Set<string>();
    for (const delivery of deliveries ?? []) {
      const { type } = delivery;
      if (type === undefined) continue;
      if (seen.has(type.value)) findings.add(type.at, `${type.value} is named twice`);
      seen.add(type.value);
      checkDelivery(findings, checker, delivery, limits);
    }
  }
}

function checkDelivery(
  findings: Findings,
  checker: TextChecker,
  delivery: DeliveryShape,
  limits: TemplateLimits,
): void {
  for (const argument of delivery.args) {
    checkText(findings, argument, { min: 0, max: ANY_LENGTH, control: 'none' });
    checker.check(argument, RULE_SCOPE);
  }
  checkIdentifier(findings, delivery.variable, limits.maxVariableName);
  const { entry, separator } = delivery;
  if (entry !== undefined) {
    checkText(findings, entry, { min: 1, max: limits.maxVariableValue, control: 'none' });
    checker.check(entry, RULE_SCOPE);
  }
  if (separator === undefined) return;
  checkText(findings, separator, { min: 0, max: limits.maxVariableValue, control: 'none' });
  if (entry === undefined) findings.add(separator.at, 'separates entries and requires "entry"');
}
