import { useMemo } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import { problemsOf, type ValueProblem } from './model/check-value.ts';
import type { ParameterDefinition } from './model/definition.ts';
import type { Draft } from './model/draft.ts';
import { NO_ERRORS, assignErrorsToFields, dropStaleErrors, type FieldErrors } from './model/field-errors.ts';
import {
  lengthProblem,
  placeProblems,
  submissionOf,
  type PlaceName,
  type Submission,
} from './model/submission.ts';
import { valueIn } from './model/values.ts';
import type { TemplateState } from './use-template.ts';

/** What the service has refused, and why. */
export interface Refusal {
  readonly request: Submission;
  readonly error: unknown;
}

/** What the page itself can say of the draft. */
export interface FormState {
  /** The request as it would be sent; null without a template that can be read. */
  readonly request: Submission | null;
  /** What is wrong with the values, by the name of the parameter. */
  readonly values: ReadonlyMap<string, readonly ValueProblem[]>;
  readonly places: ReadonlyMap<PlaceName, string>;
  readonly tooLong: string | null;
  /** Whether the service can be asked about it, though values may be missing. */
  readonly canBeChecked: boolean;
  /** Whether it can be submitted, as far as the page knows. */
  readonly isReady: boolean;
}

/** Checks the draft as far as that needs no service. */
export function useFormState(draft: Draft, template: TemplateState): FormState {
  const { readable, errors, isCurrent } = template;
  return useMemo(() => {
    const definitions = readable?.outline.definitions ?? [];
    const values = new Map(
      definitions.flatMap((definition): [string, readonly ValueProblem[]][] => {
        const problems = ownProblems(definition, draft);
        return problems.length === 0 ? [] : [[definition.name, problems]];
      }),
    );
    const places = placeProblems(draft);
    const request = readable === null ? null : submissionOf(draft, readable.outline, readable.format);
    const tooLong = request === null ? null : lengthProblem(request);
    const canBeChecked =
      request !== null && isCurrent && errors.length === 0 && places.size === 0 && tooLong === null;
    return { request, values, places, tooLong, canBeChecked, isReady: canBeChecked && values.size === 0 };
  }, [draft, readable, errors, isCurrent]);
}

/** A default is the template's own: the service judges it with the template. */
function ownProblems(definition: ParameterDefinition, { values }: Draft): readonly ValueProblem[] {
  const value = valueIn(definition, values);
  return value === definition.default && value !== null ? [] : problemsOf(definition.rules, value);
}

/** What the service has said, each at the place where it can be mended, as far as it is still about what the form says. */
export function useServerErrors(
  refusal: Refusal | null,
  request: Submission | null,
  template: TemplateState,
): FieldErrors {
  const { readable } = template;
  return useMemo(() => {
    if (refusal === null || request === null || !(refusal.error instanceof ProblemError)) return NO_ERRORS;
    const placed = assignErrorsToFields(refusal.error.errors, readable?.outline ?? null);
    return dropStaleErrors(placed, refusal.request, request);
  }, [refusal, request, readable]);
}
