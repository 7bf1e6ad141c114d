import { DELIVERY_ORDER, type DeliveryType } from '../deliveries.ts';
import type { Located } from '../located.ts';
import type { ObjectReader } from './object-reader.ts';
import type { DeliveryShape } from './template-shape.ts';
import { DELIVERY_KEYS, FLAG_POSITIONS } from './template-tables.ts';

/**
 * docs/decisions/path-delivery.md. The keys depend on the type. Returns undefined if the template declares no
 * deliveries.
 */
export function readDeliveries(
  reader: ObjectReader,
  at: Located | undefined,
): readonly DeliveryShape[] | undefined {
  if (at === undefined) return undefined;
  return (reader.list(at, DELIVERY_ORDER.length) ?? []).flatMap((item) => readDelivery(reader, item) ?? []);
}

function readDelivery(reader: ObjectReader, at: Located): DeliveryShape | undefined {
  const known = typeOf(at);
  // If the type is unknown, only the type is checked.
  if (known === undefined && at.node.kind === 'mapping') {
    const type = at.node.entries.find(({ key }) => key === 'type');
    if (type === undefined) reader.refuse(at, '"type" is required');
    else reader.word({ node: type.value, parent: at, key: 'type', keyAt: type.keyAt }, DELIVERY_ORDER);
    return undefined;
  }
  const fields = reader.object(at, known === undefined ? {} : DELIVERY_KEYS[known]);
  if (fields === undefined) return undefined;
  return {
    at,
    type: reader.word(fields.get('type'), DELIVERY_ORDER),
    args: reader.texts(fields.get('args'), Number.MAX_SAFE_INTEGER) ?? [],
    position: reader.word(fields.get('position'), FLAG_POSITIONS),
    variable: reader.text(fields.get('variable')),
    entry: reader.text(fields.get('entry')),
    separator: reader.text(fields.get('separator')),
  };
}

function typeOf(at: Located): DeliveryType | undefined {
  if (at.node.kind !== 'mapping') return undefined;
  const value = at.node.entries.find(({ key }) => key === 'type')?.value;
  if (value?.kind !== 'string') return undefined;
  return DELIVERY_ORDER.find((type) => type === value.value);
}
