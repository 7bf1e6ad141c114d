import type { ProductParameter } from '../../../client/resources.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ShortTable, type ShortColumn } from '../../parts/short-table.tsx';
import { ruleTexts, valueText } from './parameter-texts.ts';
import './products.css';

const COLUMNS: readonly ShortColumn<ProductParameter>[] = [
  {
    header: 'Parameter',
    cell: ({ name, user_interface: { label } }) => (
      <>
        <strong>{label ?? name}</strong>
        {label !== null && label !== name && <div className="mono muted">{name}</div>}
      </>
    ),
  },
  { header: 'Type', cell: ({ type }) => <span className="mono">{type}</span> },
  {
    header: 'Default',
    cell: (parameter) =>
      parameter.required ? (
        <strong>required</strong>
      ) : valueText(parameter.default) === '' ? (
        <em className="muted">empty</em>
      ) : (
        <span className="mono product-value">{valueText(parameter.default)}</span>
      ),
  },
  { header: 'Rules', cell: (parameter) => ruleTexts(parameter).join(', '), isMinor: true },
  {
    header: 'Description',
    cell: ({ description }) => <span className="product-value">{description}</span>,
    isMinor: true,
  },
];

/** The parameters of a product or preset, in the order of the template. */
export function ProductParameters({ parameters }: { parameters: readonly ProductParameter[] }) {
  if (parameters.length === 0)
    return <EmptyState title="No parameters">The template defines no job parameters.</EmptyState>;
  return <ShortTable label="Parameters" columns={COLUMNS} rows={parameters} rowId={({ name }) => name} />;
}
