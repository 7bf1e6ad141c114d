import type { PathDelivery } from '../deliveries.ts';
import type { DeliveryShape } from '../shape/template-shape.ts';

/** Returns the path deliveries of a step, from a checked template. */
export const deliveryPlans = (deliveries: readonly DeliveryShape[]): readonly PathDelivery[] =>
  deliveries.map(deliveryPlan);

function deliveryPlan(shape: DeliveryShape): PathDelivery {
  const { type, args, position, variable, entry, separator } = shape;
  switch (type?.value) {
    case 'swap_in_place':
    case 'translation_file':
    case 'stage_locally':
      return { type: type.value };
    case 'command_flags':
      return {
        type: 'command_flags',
        args: args.map((argument) => argument.value),
        position: position?.value ?? 'END',
      };
    case 'environment':
      return {
        type: 'environment',
        variable: variable?.value ?? '',
        ...(entry === undefined ? {} : { entry: entry.value }),
        ...(separator === undefined ? {} : { separator: separator.value }),
      };
    case undefined:
      // A bug of this program: the passes accepted an incomplete template.
      throw new Error('a checked template lacks the type of a path delivery');
  }
}
