/** Model of the form of a catalog entry: its fields, the typed texts, and the request body. */

/** A row of a field with two columns, such as a compute location and its root. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

export type FieldValue = string | boolean | readonly Pair[];
export type FormValues = Readonly<Record<string, FieldValue>>;

interface FieldBase {
  /** The member of the resource (docs/contract/resources.md). */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** Cannot be changed after the entry was created. */
  readonly isFixed?: boolean;
}

export type FormField = FieldBase &
  (
    | {
        readonly kind: 'text' | 'area';
        readonly isRequired?: boolean;
        /** An empty text is sent as null. */
        readonly isNullable?: boolean;
      }
    | {
        readonly kind: 'integer';
        readonly isRequired?: boolean;
        readonly min: number;
        readonly max: number;
        /** The value of an empty text; null inherits the value. */
        readonly whenEmpty: number | null;
        readonly placeholder?: string;
      }
    | {
        readonly kind: 'choice';
        readonly isRequired?: boolean;
        readonly choices: readonly { readonly value: string; readonly label: string }[];
        /** The value of a new entry. */
        readonly initial?: string;
      }
    /** A value that is typed as JSON. An empty text is an empty list, or an empty object. */
    | { readonly kind: 'json'; readonly isRequired?: boolean; readonly isObject?: boolean }
    /** Texts, separated by commas. */
    | { readonly kind: 'list'; readonly isRequired?: boolean }
    /** `initial`: of a new entry, or of one without the member; false if absent. */
    | { readonly kind: 'flag'; readonly initial?: boolean }
    | { readonly kind: 'pairs'; readonly nameLabel: string; readonly valueLabel: string }
  );

/** Returns the initial values of the form; `entry` is null for a new one. */
export function valuesOf(fields: readonly FormField[], entry: object | null): FormValues {
  const members = new Map<string, unknown>(Object.entries(entry ?? {}));
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field, members.get(field.name))]));
}

function valueOf(field: FormField, member: unknown): FieldValue {
  switch (field.kind) {
    case 'flag':
      return member === undefined ? field.initial === true : member === true;
    case 'pairs':
      return pairsOf(member);
    case 'json':
      return member === undefined ? '' : JSON.stringify(member, null, 2);
    case 'integer':
      return typeof member === 'number' ? String(member) : '';
    case 'choice':
      return typeof member === 'string'
        ? member
        : (field.initial ?? (field.choices.length === 1 ? (field.choices[0]?.value ?? '') : ''));
    case 'list':
      return Array.isArray(member) ? member.join(', ') : '';
    default:
      return typeof member === 'string' ? member : '';
  }
}

function pairsOf(member: unknown): readonly Pair[] {
  if (typeof member !== 'object' || member === null) return [];
  return Object.entries(member).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : '',
  }));
}

/** Returns the problems by field name; empty if the values can be sent. The server checks them again. */
export function problemsOf(fields: readonly FormField[], values: FormValues): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const field of fields) {
    const problem = problemOf(field, values[field.name] ?? '');
    if (problem !== '') problems.set(field.name, problem);
  }
  return problems;
}

function problemOf(field: FormField, value: FieldValue): string {
  if (field.kind === 'pairs') return typeof value === 'object' ? pairsProblem(field, value) : '';
  if (field.kind === 'flag' || typeof value !== 'string') return '';
  const text = value.trim();
  if (text === '') return field.isRequired === true ? `${field.label} is required.` : '';
  if (field.kind === 'json') return jsonProblem(text);
  if (field.kind !== 'integer') return '';
  const number = Number(text);
  if (!/^[+-]?[0-9]+$/.test(text)) return 'Enter a whole number.';
  if (number < field.min) return `Must be at least ${field.min.toLocaleString('en')}.`;
  return number > field.max ? `Must be at most ${field.max.toLocaleString('en')}.` : '';
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return `Enter valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function pairsProblem(
  { nameLabel, valueLabel }: { readonly nameLabel: string; readonly valueLabel: string },
  pairs: readonly Pair[],
): string {
  const names = pairs.map(({ name }) => name.trim());
  if (pairs.some((pair) => pair.name.trim() === '' || pair.value.trim() === ''))
    return `Each row needs a ${nameLabel.toLowerCase()} and a ${valueLabel.toLowerCase()}. Complete or remove the row.`;
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  return duplicate === undefined ? '' : `Duplicate ${nameLabel.toLowerCase()}: ${duplicate}.`;
}

/** Returns the body of a create or replace request. It has all fields, because PUT resets missing members. */
export function bodyOf(fields: readonly FormField[], values: FormValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map((field) => [field.name, memberOf(field, values[field.name] ?? '')]));
}

function memberOf(field: FormField, value: FieldValue): unknown {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'object')
    return Object.fromEntries(value.map((pair) => [pair.name.trim(), pair.value.trim()]));
  const text = field.kind === 'area' ? value : value.trim();
  if (field.kind === 'json')
    return text === '' ? (field.isObject === true ? {} : []) : (JSON.parse(text) as unknown);
  if (field.kind === 'list')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  if (field.kind === 'integer') return text === '' ? field.whenEmpty : Number(text);
  return text === '' && field.kind === 'text' && field.isNullable === true ? null : text;
}

/** Returns the errors of a response by field name. Errors of no field are under the empty name. */
export function problemsByField(
  fields: readonly FormField[],
  errors: readonly { readonly pointer: string; readonly detail: string }[],
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const { pointer, detail } of errors) {
    const [, first = '', ...rest] = pointer
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const field = fields.find(({ name }) => name === first);
    const text =
      field === undefined && pointer !== ''
        ? `${pointer}: ${detail}`
        : rest.length > 0
          ? `${rest.join('/')}: ${detail}`
          : detail;
    const name = field?.name ?? '';
    problems.set(name, problems.has(name) ? `${problems.get(name)}\n${text}` : text);
  }
  return problems;
}
