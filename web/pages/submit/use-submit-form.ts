import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { usePermissions } from '../../state/use-permissions.ts';
import type { ValueProblem } from './model/check-value.ts';
import type { ParameterDefinition, Value } from './model/definition.ts';
import { afterSubmission, withTemplate, type Draft } from './model/draft.ts';
import type { FieldErrors } from './model/field-errors.ts';
import { QUERY_NAMES, type DestinationField } from './model/submission.ts';
import { useCheck, type Check } from './use-check.ts';
import { useDestination } from './use-destination.ts';
import { forgetDraft, storeDraft, useDraft, type ChangeDraft } from './use-draft.ts';
import { useFormState, useServerErrors, type FormState, type Refusal } from './use-form.ts';
import { useQueueParameters } from './use-queue-parameters.ts';
import { useSend } from './use-send.ts';
import { useTemplate, type TemplateState } from './use-template.ts';

/** Prefix of parameters in the names of visited fields. */
const PARAMETER = 'param.';

/** Model of the form that submits a job. */
export interface SubmitFormModel {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly draft: Draft;
  readonly template: TemplateState;
  readonly form: FormState;
  readonly check: Check;
  readonly serverErrors: FieldErrors;
  /** The rejection of the current request; null for none, and after a change. */
  readonly refusal: Refusal | null;
  /** The user has tried to check or submit the job, so missing values are errors. */
  readonly isAttempted: boolean;
  readonly isSending: boolean;
  /** Changes the draft after a user input. */
  readonly edit: ChangeDraft;
  readonly setValue: (name: string, value: Value | null) => void;
  readonly loadTemplate: (text: string, source: string) => void;
  readonly setTemplateOpen: (isOpen: boolean) => void;
  readonly valueProblems: (definition: ParameterDefinition) => readonly ValueProblem[];
  readonly destinationError: (name: DestinationField) => string;
  /** Shows the problems of a field from now on. */
  readonly visitField: (name: string) => void;
  readonly visitParameter: (name: string) => void;
  readonly checkNow: () => void;
  readonly submit: () => void;
}

/**
 * `from` is the key of the draft: the id of a job to submit again, the key of a product, or empty. `product` is the name of
 * the product, or null.
 */
export function useSubmitForm(
  from: string,
  initial: Draft,
  product: string | null,
  onSent?: () => void,
): SubmitFormModel {
  const { can, why } = usePermissions();
  const [stored, change] = useDraft(from, initial);
  const { draft: chosen, remember } = useDestination(stored);
  const canSubmitAs = can('jobs.submit_as');
  // The field is hidden without the permission, and a stored owner would be refused.
  const draft = useMemo(() => (canSubmitAs ? chosen : { ...chosen, owner: '' }), [canSubmitAs, chosen]);
  const template = useQueueParameters(useTemplate(draft.text), draft);
  const form = useFormState(draft, template, product);
  const [isAttempted, setIsAttempted] = useState(false);
  const [frame, focusFirstInvalid] = useInvalidFocus();
  const {
    send,
    isSending,
    refusal: rejected,
    clearRefusal,
  } = useSend(change, () => {
    remember();
    onSent?.();
    if (product === null) forgetDraft(from);
    else storeDraft(from, afterSubmission(draft));
  });
  const check = useCheck(form.canBeChecked && why('jobs.write') === '' ? form.request : null, form.isReady);
  const refusal = rejected ?? refusalOf(check);
  const serverErrors = useServerErrors(refusal, form.request, template);
  const isCurrent = refusal !== null && JSON.stringify(refusal.request) === JSON.stringify(form.request);
  const isShown = (name: string): boolean => isAttempted || draft.left.includes(name);

  const edit: ChangeDraft = (by) => {
    clearRefusal();
    change(by);
  };
  const visitField = (name: string): void => {
    if (!draft.left.includes(name)) change((before) => ({ ...before, left: [...before.left, name] }));
  };
  const submit = async (): Promise<void> => {
    setIsAttempted(true);
    if (form.request === null || !form.isReady) focusFirstInvalid();
    else if (!isSending && !(await send(form.request, draft.sent))) focusFirstInvalid();
  };
  return {
    frame,
    draft,
    template,
    form,
    check,
    serverErrors,
    refusal: isCurrent ? refusal : null,
    isAttempted,
    isSending,
    edit,
    setValue: (name, value) =>
      edit((before) => {
        const { [name]: _, ...others } = before.values;
        return { ...before, values: value === null ? others : { ...others, [name]: value } };
      }),
    loadTemplate: (text, source) => {
      setIsAttempted(false);
      edit((before) => withTemplate(before, text, source));
    },
    setTemplateOpen: (isTemplateOpen) => change({ isTemplateOpen }),
    valueProblems: ({ name }) => {
      const own = form.values.get(name);
      if (own === undefined) return serverErrors.values.get(name) ?? [];
      return isShown(PARAMETER + name) ? own : [];
    },
    destinationError: (name) => {
      const own = form.destination.get(name);
      if (own === undefined) return serverErrors.query.get(QUERY_NAMES[name]) ?? '';
      return isShown(name) ? own : '';
    },
    visitField,
    visitParameter: (name) => visitField(PARAMETER + name),
    checkNow: () => {
      setIsAttempted(true);
      check.now();
      if (!form.isReady) focusFirstInvalid();
    },
    submit: () => void submit(),
  };
}

/** Returns the element of the form, and a function that focuses its first invalid field after the next rendering. */
function useInvalidFocus(): readonly [RefObject<HTMLDivElement | null>, () => void] {
  const frame = useRef<HTMLDivElement>(null);
  const [requests, setRequests] = useState(0);
  useEffect(() => {
    if (requests > 0) focusInvalid(frame.current);
  }, [requests]);
  return [frame, () => setRequests((before) => before + 1)];
}

/** An invalid list has no field of its own, so the first control of the list gets the focus. */
function focusInvalid(frame: HTMLElement | null): void {
  const invalid = frame?.querySelector<HTMLElement>('[aria-invalid=true], .list-control__error');
  const isField = invalid?.matches('[aria-invalid=true]') === true;
  const field = isField
    ? invalid
    : invalid?.closest('fieldset')?.querySelector<HTMLElement>('input, select, button');
  field?.focus();
}

function refusalOf({ request, error, isBusy }: Check): Refusal | null {
  return error === null || request === null || isBusy ? null : { request, error };
}
