import { RULE_SYMBOLS } from '../deliveries.ts';
import { STRING } from '../../expr/type-system/expr-type.ts';
import { unresolvedOf } from '../../expr/values/value.ts';
import { fieldRules } from '../field-rules.ts';
import type { Findings } from '../findings.ts';
import type { Scope } from '../scope.ts';
import type { DeliveryShape, TemplateShape } from '../shape/template-shape.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { TextChecker } from '../text-checker.ts';
import { checkIdentifier, checkText } from '../text-checks.ts';

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
  const rules = fieldRules(limits);
  for (const argument of delivery.args) {
    checkText(findings, argument, rules.deliveryArgument);
    checker.check(argument, RULE_SCOPE);
  }
  checkIdentifier(findings, delivery.variable, limits.maxVariableName);
  const { entry, separator } = delivery;
  if (entry !== undefined) {
    checkText(findings, entry, rules.deliveryEntry);
    checker.check(entry, RULE_SCOPE);
  }
  if (separator === undefined) return;
  checkText(findings, separator, rules.deliverySeparator);
  if (entry === undefined) findings.add(separator.at, 'separates entries and requires "entry"');
}
