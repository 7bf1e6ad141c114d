import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { CheckPanel } from './check-panel.tsx';
import type { ValueProblem } from './model/check-value.ts';
import { isShown, type ParameterDefinition, type Value } from './model/definition.ts';
import { withTemplate, type Draft } from './model/draft.ts';
import { newKey } from './model/request-key.ts';
import { QUERY_NAMES, type PlaceName } from './model/submission.ts';
import { ParameterForm } from './parameter-form.tsx';
import { DestinationSection } from './destination-section.tsx';
import { TemplateSection } from './template-section.tsx';
import { useCheck } from './use-check.ts';
import { forgetDraft, useDraft, type ChangeDraft } from './use-draft.ts';
import { useFormState, useServerErrors, type Refusal } from './use-form.ts';
import { useDestination } from './use-destination.ts';
import { useTemplate } from './use-template.ts';
import { Verdict } from './verdict.tsx';
import './submit-form.css';

const PARAMETER = 'param.';

/** The form: template, parameters, place, and what the service thinks of them. `from` is the job that it began with, or empty. */
export function SubmitForm({ from, initial }: { from: string; initial: Draft }) {
  const { why } = usePermissions();
  const [kept, change] = useDraft(from, initial);
  const { draft, remember } = useDestination(kept);
  const template = useTemplate(draft.text);
  const form = useFormState(draft, template);
  const [isAsked, setIsAsked] = useState(false);
  const [failures, setFailures] = useState(0);
  const { send, isSending, refusal: sent, forgive } = useSend(from, change, remember);
  const check = useCheck(form.canBeChecked && why('jobs.write') === '' ? form.request : null, form.isReady);
  const refusal = sent ?? checkRefusal(check);
  const told = useServerErrors(refusal, form.request, template);
  const roots = useRoots();
  const frame = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (failures > 0) focusFirstWrong(frame.current);
  }, [failures]);

  const edit: ChangeDraft = (by) => {
    forgive();
    change(by);
  };
  const leave = (name: string): void => {
    if (!draft.left.includes(name)) change((before) => ({ ...before, left: [...before.left, name] }));
  };
  const setValue = (name: string, value: Value | null): void =>
    edit((before) => {
      const { [name]: _, ...others } = before.values;
      return { ...before, values: value === null ? others : { ...others, [name]: value } };
    });
  const valueProblems = ({ name }: ParameterDefinition): readonly ValueProblem[] => {
    const own = form.values.get(name);
    if (own === undefined) return told.values.get(name) ?? [];
    return isAsked || draft.left.includes(PARAMETER + name) ? own : [];
  };
  const placeError = (name: PlaceName): string => {
    const own = form.places.get(name);
    if (own === undefined) return told.query.get(QUERY_NAMES[name]) ?? '';
    return isAsked || draft.left.includes(name) ? own : '';
  };
  const ask = (): void => {
    setIsAsked(true);
    check.now();
    if (!form.isReady) setFailures((before) => before + 1);
  };
  const submit = (): void => {
    const { request } = form;
    setIsAsked(true);
    if (request === null || !form.isReady) setFailures((before) => before + 1);
    else if (!isSending)
      void send(request, draft.sent).then((isDone) => {
        if (!isDone) setFailures((before) => before + 1);
      });
  };

  const codeErrors = [...template.errors, ...told.template];
  const definitions = template.readable?.outline.definitions ?? [];
  const resolvedName = form.isReady && !check.isBusy ? check.data?.name : undefined;
  const isSame = refusal !== null && JSON.stringify(refusal.request) === JSON.stringify(form.request);
  return (
    <div className="submit" ref={frame}>
      <div className="submit__main">
        <TemplateSection
          text={draft.text}
          source={draft.source}
          outline={template.readable?.outline ?? null}
          name={resolvedName ?? template.readable?.outline.name ?? ''}
          errors={codeErrors}
          isOpen={draft.isTemplateOpen}
          onText={(text) => edit({ text })}
          onLoad={(text, source) => {
            setIsAsked(false);
            edit((before) => withTemplate(before, text, source));
          }}
          onOpen={(isTemplateOpen) => change({ isTemplateOpen })}
        />
        {definitions.some(isShown) && (
          <section className="card stack" aria-label="Parameters">
            <ParameterForm
              definitions={definitions}
              values={draft.values}
              problems={valueProblems}
              roots={roots}
              onChange={setValue}
              onLeave={(name) => leave(PARAMETER + name)}
            />
          </section>
        )}
      </div>
      <div className="submit__side">
        <DestinationSection draft={draft} errorOf={placeError} onChange={edit} onLeave={leave} />
        <section className="card stack" aria-label="Check and submit">
          <Verdict
            template={template}
            form={form}
            refusal={isSame ? refusal : null}
            told={told}
            isAsked={isAsked}
          />
          {form.isReady && !isSame && <CheckPanel data={check.data} isBusy={check.isBusy} />}
          <div className="submit__deeds">
            <Button isBusy={check.isBusy} onPress={ask}>
              Check
            </Button>
            <Button look="primary" isBusy={isSending} disabledReason={why('jobs.write')} onPress={submit}>
              Submit
            </Button>
          </div>
        </section>
      </div>
    </div>
  );
}

/** A list that is wrong as a whole has its first control in the place of a field. */
function focusFirstWrong(frame: HTMLElement | null): void {
  const wrong = frame?.querySelector<HTMLElement>('[aria-invalid=true], .list-control__error');
  const isField = wrong?.matches('[aria-invalid=true]') === true;
  const field = isField
    ? wrong
    : wrong?.closest('fieldset')?.querySelector<HTMLElement>('input, select, button');
  field?.focus();
}

function checkRefusal({ request, error, isBusy }: ReturnType<typeof useCheck>): Refusal | null {
  return error === null || request === null || isBusy ? null : { request, error };
}

/** Submits. The same request has the same key, so that one whose answer was lost makes no second job. */
function useSend(from: string, change: ChangeDraft, remember: () => void) {
  const { rest } = useService();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isSending, setIsSending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  const send = async (submission: Refusal['request'], before: Draft['sent']): Promise<boolean> => {
    const request = JSON.stringify(submission);
    const key = before?.request === request ? before.key : newKey();
    change({ sent: { request, key } });
    setIsSending(true);
    setRefusal(null);
    try {
      const { query, document } = submission;
      const job = await rest.call('post', '/jobs', { query, headers: { 'Idempotency-Key': key }, document });
      if (!('id' in job)) throw new Error('the service answered without a job');
      remember();
      forgetDraft(from);
      void client.invalidateQueries({ queryKey: ['jobs'] });
      toasts.done('Submitted', job.name);
      navigate(`/jobs/${encodeURIComponent(job.id)}`);
      return true;
    } catch (error) {
      setRefusal({ request: submission, error });
      return false;
    } finally {
      setIsSending(false);
    }
  };
  return { send, isSending, refusal, forgive: () => setRefusal(null) };
}

/** Where the farm's storage begins: offered where a path is asked for. */
function useRoots(): readonly string[] {
  const { rest } = useService();
  const { data } = useQuery(queries.storageLocations(rest));
  return useMemo(
    () => [...new Set((data ?? []).flatMap((location) => Object.values(location.roots)))].sort(),
    [data],
  );
}
