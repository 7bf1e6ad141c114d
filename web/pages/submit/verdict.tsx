import { Notice } from '../../parts/notice.tsx';
import { ProblemError } from '../../../client/problem.ts';
import { explained } from '../../state/toasts.ts';
import type { ParameterDefinition } from './model/definition.ts';
import type { FieldErrors } from './model/field-errors.ts';
import { QUERY_NAMES, type PlaceName } from './model/submission.ts';
import type { FormState, Refusal } from './use-form.ts';
import type { TemplateState } from './use-template.ts';

const PLACES: Readonly<Record<PlaceName, string>> = {
  farmId: 'Farm',
  queueId: 'Queue',
  project: 'Project',
  owner: 'Owner',
  priority: 'Priority',
  maxAttempts: 'Attempts of a task',
  retryDelaySeconds: 'Seconds between',
  failureLimit: 'Failures of the job',
  dependsOn: 'Wait for jobs',
};

/** Errors that are repeated here; all of them stand at the template. */
const SHOWN = 3;

/** Why it cannot be submitted as it is; nothing when it can. */
export function Verdict({
  template,
  form,
  refusal,
  told,
  isAsked,
}: {
  template: TemplateState;
  form: FormState;
  /** Of the request as it is now. */
  refusal: Refusal | null;
  told: FieldErrors;
  /** Whether somebody has tried: what is missing is an error from then on. */
  isAsked: boolean;
}) {
  const { readable, errors } = template;
  if (readable === null && errors.length === 0)
    return <p className="muted">A template says what is to be filled in. Begin with one.</p>;
  if (errors.length > 0)
    return (
      <Notice
        kind="danger"
        title={errors.length === 1 ? 'The template has an error' : `The template has ${errors.length} errors`}
        detail={errors.length === 1 ? 'It is marked at its line.' : 'Each is marked at its line.'}
      />
    );
  if (told.template.length > 0) {
    const shown = told.template.slice(0, SHOWN).map(({ detail }) => detail);
    const more = told.template.length - shown.length;
    const detail = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
    return (
      <Notice kind="danger" title="The service refuses the template" detail={detail} {...idOf(refusal)} />
    );
  }
  const own = [...labelsOf(readable?.outline.definitions ?? [], form), ...placesOf(form)];
  if (own.length > 0) {
    const detail = own.join(', ');
    return isAsked ? (
      <Notice kind="danger" title="Not complete yet" detail={detail} />
    ) : (
      <p className="muted">To fill in: {detail}.</p>
    );
  }
  if (form.tooLong !== null) return <Notice kind="danger" title="Too much to send" detail={form.tooLong} />;
  if (told.values.size > 0 || told.query.size > 0) {
    const fields = [...told.values.keys(), ...placesToldOf(told)];
    return (
      <Notice
        kind="danger"
        title="The service refuses it"
        detail={`See ${fields.join(', ')}.`}
        {...idOf(refusal)}
      />
    );
  }
  if (refusal === null) return null;
  const { detail, requestId } = explained(refusal.error);
  return <Notice kind="danger" title="Not accepted" detail={detail} requestId={requestId} />;
}

const idOf = (refusal: Refusal | null): { requestId: string } => ({
  requestId: refusal?.error instanceof ProblemError ? refusal.error.requestId : '',
});

const labelsOf = (definitions: readonly ParameterDefinition[], { values }: FormState): readonly string[] =>
  definitions.filter(({ name }) => values.has(name)).map(({ label }) => label);

const placesOf = ({ places }: FormState): readonly string[] => [...places.keys()].map((name) => PLACES[name]);

const placesToldOf = ({ query }: FieldErrors): readonly string[] =>
  (Object.keys(PLACES) as PlaceName[])
    .filter((name) => query.has(QUERY_NAMES[name]))
    .map((name) => PLACES[name]);
