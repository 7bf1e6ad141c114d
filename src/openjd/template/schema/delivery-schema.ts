import { fieldRules } from '../field-rules.ts';
import { DELIVERY_KEYS, DELIVERY_TYPES, FLAG_POSITIONS } from '../shape/template-tables.ts';
import type { TemplateLimits } from '../template-limits.ts';
import { choiceOf, listOf, named, objectOf, valueOf, type SchemaNode } from './schema-node.ts';
import { identifierSchema, textSchema } from './value-schemas.ts';

/** docs/decisions/path-delivery.md */
export function deliveriesNode(limits: TemplateLimits): SchemaNode {
  const rules = fieldRules(limits);
  const type = valueOf({ enum: DELIVERY_TYPES });
  const entry = valueOf(textSchema(rules.deliveryEntry));
  const nodes = {
    swap_in_place: objectOf(DELIVERY_KEYS.swap_in_place, { type }),
    translation_file: objectOf(DELIVERY_KEYS.translation_file, { type }),
    command_flags: objectOf(DELIVERY_KEYS.command_flags, {
      type,
      args: listOf(valueOf(textSchema(rules.deliveryArgument))),
      position: valueOf({ enum: FLAG_POSITIONS }),
    }),
    environment: objectOf(
      DELIVERY_KEYS.environment,
      {
        type,
        variable: valueOf(identifierSchema(limits.maxVariableName)),
        entry,
        separator: valueOf(textSchema(rules.deliverySeparator)),
      },
      {
        if: { required: ['separator'], properties: { separator: { type: 'string' } } },
        then: { required: ['entry'], properties: { entry: { type: 'string' } } },
      },
    ),
    stage_locally: objectOf(DELIVERY_KEYS.stage_locally, { type }),
  } as const;
  const cases = DELIVERY_TYPES.map((each) => ({ when: { const: each }, node: nodes[each] }));
  return listOf(named('path delivery', choiceOf('type', type, cases)), DELIVERY_TYPES.length);
}
