import type { PointedError } from '../../../../client/resources.ts';
import type { LineError } from './plain-tree.ts';
import type { TemplateOutline } from './read-template.ts';
import type { ValueProblem } from './check-value.ts';
import { QUERY_NAMES, type Submission } from './submission.ts';

/** Errors of a response, by the field that can fix them. */
export interface FieldErrors {
  /** By parameter name. */
  readonly values: ReadonlyMap<string, readonly ValueProblem[]>;
  /** By name of the query parameter: `queue_id`. */
  readonly query: ReadonlyMap<string, string>;
  readonly template: readonly TemplateError[];
  /** Errors of no field of the form. */
  readonly rest: readonly string[];
}

export interface TemplateError extends Partial<LineError> {
  readonly detail: string;
}

export const NO_ERRORS: FieldErrors = { values: new Map(), query: new Map(), template: [], rest: [] };

/** Returns the errors of the fields that have not changed since the request. */
export function dropStaleErrors(errors: FieldErrors, request: Submission, now: Submission): FieldErrors {
  const parameter = ({ query }: Submission, name: string): string | undefined =>
    query.parameters?.[`param.${name}`];
  const member = ({ query }: Submission, name: string): string =>
    JSON.stringify(Object.entries(query).find(([key]) => key === name)?.[1]) ?? '';
  const isSameText = request.document.text === now.document.text;
  return {
    values: new Map([...errors.values].filter(([name]) => parameter(request, name) === parameter(now, name))),
    query: new Map([...errors.query].filter(([name]) => member(request, name) === member(now, name))),
    template: isSameText ? errors.template : [],
    rest: JSON.stringify(request) === JSON.stringify(now) ? errors.rest : [],
  };
}

const DEFINITION = /^\/parameterDefinitions\/(\d+)$/;
const QUERY = /^\/query\/([a-z_]+)$/;
const BODY = new RegExp(`^/(${Object.values(QUERY_NAMES).join('|')})$`);
const GIVEN =
  /^the value of "((?:[^"\\]|\\.)*)"(?: (?:of|and) (?:queue )?environment "(?:[^"\\]|\\.)*")*(?: at ((?:\[\d+\])+))?: ([^]*)$/;
const MISSING =
  /^the parameter "((?:[^"\\]|\\.)*)"(?: (?:of|and) (?:queue )?environment "(?:[^"\\]|\\.)*")* has no default and needs a value$/;
/** Pointer of errors about parameters that only environments of the queue define. */
const DEFINITIONS = '/parameterDefinitions';
const UNKNOWN = /^there is no parameter "/;

/**
 * Assigns the errors of a rejected request to fields, by their pointers. The fields of a product submission are in its
 * body, and its template is not on the page.
 */
export function assignErrorsToFields(
  errors: readonly PointedError[],
  outline: TemplateOutline | null,
  isOfProduct = false,
): FieldErrors {
  const values = new Map<string, ValueProblem[]>();
  const query = new Map<string, string>();
  const template: TemplateError[] = [];
  const rest: string[] = [];
  for (const error of errors) {
    const value = valueErrorOf(error, outline);
    const name = (isOfProduct ? BODY : QUERY).exec(error.pointer)?.[1];
    if (value !== null) values.set(value.name, [...(values.get(value.name) ?? []), value.problem]);
    else if (name !== undefined) query.set(name, [query.get(name), error.detail].filter(Boolean).join('\n'));
    else if (isOfProduct)
      rest.push(error.pointer === '' ? error.detail : `${error.pointer}: ${error.detail}`);
    else if (isOfNoField(error)) rest.push(error.detail);
    else template.push(templateError(error));
  }
  return { values, query, template, rest };
}

/** Returns the error of a parameter value, whose pointer is the definition; null for other errors. */
function valueErrorOf(
  { pointer, detail }: PointedError,
  outline: TemplateOutline | null,
): { readonly name: string; readonly problem: ValueProblem } | null {
  const position = DEFINITION.exec(pointer)?.[1];
  const given = GIVEN.exec(detail);
  const missing = MISSING.exec(detail);
  const named = pointer === DEFINITIONS ? (given?.[1] ?? missing?.[1]) : undefined;
  const name = position === undefined ? named : outline?.parameterNames[Number(position)];
  if (name === undefined) return null;
  if (missing !== null) return { name, problem: { index: null, detail: 'Enter a value.' } };
  if (given === null) return null;
  const index = /^\[(\d+)\]/.exec(given[2] ?? '')?.[1];
  return { name, problem: { index: index === undefined ? null : Number(index), detail: given[3] ?? '' } };
}

const isOfNoField = ({ pointer, detail, line }: PointedError): boolean =>
  UNKNOWN.test(detail) ||
  (line === undefined && (pointer === '' || /^\/(query|header|body)\b/.test(pointer)));

function templateError({ pointer, detail, line, column }: PointedError): TemplateError {
  const text = pointer === '' ? detail : `${pointer}: ${detail}`;
  return line === undefined ? { detail: text } : { line, column: column ?? 1, detail: text };
}
