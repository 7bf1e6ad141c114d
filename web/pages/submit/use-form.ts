import { useMemo } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import { problemsOf, type ValueProblem } from './model/check-value.ts';
import type { ParameterDefinition } from './model/definition.ts';
import type { Draft } from './model/draft.ts';
import { NO_ERRORS, assignErrorsToFields, dropStaleErrors, type FieldErrors } from './model/field-errors.ts';
import {
  lengthProblem,
  destinationProblems,
  submissionOf,
  type DestinationField,
  type Submission,
} from './model/submission.ts';
import { valueIn } from './model/values.ts';
import type { TemplateState } from './use-template.ts';

/** A rejected request and its error. */
export interface Refusal {
  readonly request: Submission;
  readonly error: unknown;
}

/** The checks of a draft that need no server. */
export interface FormState {
  /** The request to send; null without a readable template. */
  readonly request: Submission | null;
  /** Problems of values by parameter name. */
  readonly values: ReadonlyMap<string, readonly ValueProblem[]>;
  readonly destination: ReadonlyMap<DestinationField, string>;
  readonly tooLong: string | null;
  /** The server can check the request, even if values are missing. */
  readonly canBeChecked: boolean;
  /** The page finds no problems. */
  readonly isReady: boolean;
}

/** Checks a draft without the server. `product` is the name of the product; null for a template of the user. */
export function useFormState(draft: Draft, template: TemplateState, product: string | null): FormState {
  const { readable, errors, isCurrent } = template;
  return useMemo(() => {
    const definitions = readable?.outline.definitions ?? [];
    const values = new Map(
      definitions.flatMap((definition): [string, readonly ValueProblem[]][] => {
        const problems = ownProblems(definition, draft);
        return problems.length === 0 ? [] : [[definition.name, problems]];
      }),
    );
    const destination = destinationProblems(draft);
    const request =
      readable === null ? null : submissionOf(draft, readable.outline, readable.format, product);
    const tooLong = request === null ? null : lengthProblem(request);
    const canBeChecked =
      request !== null && isCurrent && errors.length === 0 && destination.size === 0 && tooLong === null;
    return {
      request,
      values,
      destination,
      tooLong,
      canBeChecked,
      isReady: canBeChecked && values.size === 0,
    };
  }, [draft, readable, errors, isCurrent, product]);
}

/** Checks an entered value. The server checks defaults together with the template. */
function ownProblems(definition: ParameterDefinition, { values }: Draft): readonly ValueProblem[] {
  const value = valueIn(definition, values);
  return value === definition.default && value !== null ? [] : problemsOf(definition.rules, value);
}

/** Returns the errors of a rejected request by field, without those of fields that have changed since. */
export function useServerErrors(
  refusal: Refusal | null,
  request: Submission | null,
  template: TemplateState,
): FieldErrors {
  const { readable } = template;
  return useMemo(() => {
    if (refusal === null || request === null || !(refusal.error instanceof ProblemError)) return NO_ERRORS;
    const errors = assignErrorsToFields(
      refusal.error.errors,
      readable?.outline ?? null,
      refusal.request.product !== null,
    );
    return dropStaleErrors(errors, refusal.request, request);
  }, [refusal, request, readable]);
}
