import type { ProductParameter, ProductSummary } from '../../client/resources.ts';
import { markdownText } from '../terminal/markdown-text.ts';
import { table, type Column } from '../terminal/table.ts';
import { formatField, type Terminal } from '../terminal/terminal.ts';

/** Members of a parameter that the commands show: the REST API and a definition file on this machine have it both. */
export type ShownParameter = Pick<
  ProductParameter,
  | 'name'
  | 'type'
  | 'description'
  | 'default'
  | 'required'
  | 'allowed_values'
  | 'min_value'
  | 'max_value'
  | 'min_length'
  | 'max_length'
>;

const PARAMETER_COLUMNS: readonly Column<ShownParameter>[] = [
  { title: 'PARAMETER', value: ({ name }) => name },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'DEFAULT', value: defaultText, shrinks: true },
  { title: 'ALLOWED', value: allowedText, shrinks: true },
  { title: 'DESCRIPTION', value: ({ description }) => description ?? '', shrinks: true },
];

/** Formats the parameters of a product as a table; without parameters, as a sentence. */
export const parametersText = (parameters: readonly ShownParameter[], terminal: Terminal): string =>
  parameters.length === 0 ? 'It has no parameters.\n' : table(PARAMETER_COLUMNS, parameters, terminal);

function defaultText({ required, default: value }: ShownParameter): string {
  if (required) return '(required)';
  return value === '' ? '""' : valueText(value);
}

/** Formats a value as `-p` takes it: text as it is, everything else as JSON. */
const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function allowedText(parameter: ShownParameter): string {
  const { type, allowed_values: allowed, min_value: least, max_value: most } = parameter;
  const { min_length: shortest, max_length: longest } = parameter;
  const length = type.toUpperCase().startsWith('LIST') ? 'number of values ' : 'length ';
  const lengths = rangeText(shortest, longest);
  return [
    allowed?.map(valueText).join(', ') ?? '',
    rangeText(least, most),
    lengths === '' ? '' : `${length}${lengths}`,
  ]
    .filter((text) => text !== '')
    .join('; ');
}

function rangeText(least: number | string | null, most: number | string | null): string {
  if (least !== null && most !== null) return `${least} to ${most}`;
  if (least !== null) return `at least ${least}`;
  return most === null ? '' : `at most ${most}`;
}

export const PRODUCT_COLUMNS: readonly Column<ProductSummary>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'TITLE', value: ({ title }) => title, shrinks: true },
  { title: 'CATEGORY', value: ({ category }) => category, shrinks: true },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'SOURCE', value: ({ source }) => source },
];

/** A product or preset as the commands show it. */
interface Described {
  /** Lines of names and values; empty values are left out. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly readme: string;
  readonly parameters: readonly ShownParameter[];
}

/** Formats a product or preset: its facts, its readme and its parameters, with empty lines between. */
export function describedText({ facts, readme, parameters }: Described, terminal: Terminal): string {
  const given = facts.filter(([, value]) => value !== '');
  const width = Math.max(...given.map(([name]) => name.length)) + 2;
  const sections = [
    given.map(([name, value]) => formatField(name, value, width)).join(''),
    markdownText(readme, terminal),
    parametersText(parameters, terminal),
  ];
  return sections.filter((section) => section !== '').join('\n');
}
