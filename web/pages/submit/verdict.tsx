import { Notice } from '../../parts/notice.tsx';
import { ProblemError } from '../../../client/problem.ts';
import { explained } from '../../state/toasts.ts';
import type { ParameterDefinition } from './model/definition.ts';
import type { FieldErrors } from './model/field-errors.ts';
import { QUERY_NAMES, type DestinationField } from './model/submission.ts';
import type { FormState, Refusal } from './use-form.ts';
import type { TemplateState } from './use-template.ts';

const LABELS: Readonly<Record<DestinationField, string>> = {
  farmId: 'Farm',
  queueId: 'Queue',
  jobName: 'Job name',
  project: 'Project',
  owner: 'Owner',
  priority: 'Priority',
  startAfter: 'Start after',
  maxAttempts: 'Attempts per task',
  retryDelaySeconds: 'Retry delay in seconds',
  failureLimit: 'Failure limit of the job',
  maxConcurrentTasks: 'Concurrent tasks',
  dependsOn: 'Wait for jobs',
};

/** Number of template errors that are repeated here; the template section shows all. */
const MAX_SHOWN = 3;

/** Explains why the job cannot be submitted; empty if it can. */
export function Verdict({
  template,
  form,
  refusal,
  serverErrors,
  isAttempted,
}: {
  template: TemplateState;
  form: FormState;
  /** The rejection of the current request; null for none. */
  refusal: Refusal | null;
  serverErrors: FieldErrors;
  /** The user has tried to check or submit the job, so missing values are errors. */
  isAttempted: boolean;
}) {
  const { readable, errors } = template;
  if (readable === null && errors.length === 0)
    return <p className="muted">Choose a template to see its parameters.</p>;
  if (errors.length > 0)
    return (
      <Notice
        kind="danger"
        title={errors.length === 1 ? 'The template has an error' : `The template has ${errors.length} errors`}
        detail={errors.length === 1 ? 'See the marked line.' : 'See the marked lines.'}
      />
    );
  if (serverErrors.template.length > 0) {
    const shown = serverErrors.template.slice(0, MAX_SHOWN).map(({ detail }) => detail);
    const more = serverErrors.template.length - shown.length;
    const detail = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
    return (
      <Notice kind="danger" title="The server rejected the template" detail={detail} {...idOf(refusal)} />
    );
  }
  const own = [...labelsOf(readable?.outline.definitions ?? [], form), ...destinationLabels(form)];
  if (own.length > 0) {
    const detail = own.join(', ');
    return isAttempted ? (
      <Notice kind="danger" title="Missing or invalid fields" detail={detail} />
    ) : (
      <p className="muted">Required: {detail}.</p>
    );
  }
  if (form.tooLong !== null)
    return <Notice kind="danger" title="The request is too large" detail={form.tooLong} />;
  if (serverErrors.values.size > 0 || serverErrors.query.size > 0) {
    const fields = [...serverErrors.values.keys(), ...serverErrorLabels(serverErrors)];
    return (
      <Notice
        kind="danger"
        title="The server rejected the job"
        detail={`See ${fields.join(', ')}.`}
        {...idOf(refusal)}
      />
    );
  }
  if (refusal === null) return null;
  const { detail, requestId } = explained(refusal.error);
  return (
    <Notice kind="danger" title="The server did not accept the job" detail={detail} requestId={requestId} />
  );
}

const idOf = (refusal: Refusal | null): { requestId: string } => ({
  requestId: refusal?.error instanceof ProblemError ? refusal.error.requestId : '',
});

const labelsOf = (definitions: readonly ParameterDefinition[], { values }: FormState): readonly string[] =>
  definitions.filter(({ name }) => values.has(name)).map(({ label }) => label);

const destinationLabels = ({ destination }: FormState): readonly string[] =>
  [...destination.keys()].map((name) => LABELS[name]);

const serverErrorLabels = ({ query }: FieldErrors): readonly string[] =>
  (Object.keys(LABELS) as DestinationField[])
    .filter((name) => query.has(QUERY_NAMES[name]))
    .map((name) => LABELS[name]);
