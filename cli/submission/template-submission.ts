import type { EnvironmentTemplate, Job } from '../../client/resources.ts';
import type { CallArguments, QueryOf } from '../../client/rest-calls.ts';
import { ProblemError } from '../../client/problem.ts';
import { findingsText } from '../openjd/findings-text.ts';
import type { ClientContext } from '../client/client-command.ts';
import { CommandError, PaintedError } from '../terminal/exit-codes.ts';
import { findPlace, type Place } from './job-place.ts';
import { flagError } from './parameter-flags.ts';
import { explainedRequest, submitOnce, type SubmitRequest } from './submit-once.ts';
import type { TemplateFile } from './template-file.ts';
import { printable } from '../terminal/terminal.ts';

/** A job to submit from a template. Farm, queue and jobs are as given on the command line. */
export interface Submission extends Place {
  readonly file: TemplateFile;
  readonly parameters: ReadonlyMap<string, string>;
  /** Environment templates that are sent with the job, the outermost first. */
  readonly environments?: readonly EnvironmentTemplate[] | undefined;
  readonly options: Omit<
    QueryOf<'post', '/jobs'>,
    'farm_id' | 'queue_id' | 'depends_on' | 'parameters' | 'dry_run'
  >;
}

type SentDocument = CallArguments<'post', '/jobs'>[0]['document'];

/** Parts of the context of a command that a submission uses. */
type SubmissionContext = Pick<ClientContext, 'client' | 'farm' | 'queue'> & {
  readonly terminal: Pick<ClientContext['terminal'], 'errorColors'>;
};

/** Submits a job from a template: see `submitOnce`. */
export const submitJob = async (
  context: SubmissionContext,
  submission: Submission,
  onOutage: () => void,
): Promise<Job> => submitOnce(context.client, await templateRequest(context, submission), onOutage);

/**
 * Returns the request of a submission from a template. If the service finds errors in the template, the command error
 * shows each with its line and a caret, as `callsheet openjd check` does, and errors in values with their flag.
 */
export async function templateRequest(
  context: SubmissionContext,
  submission: Submission,
): Promise<SubmitRequest> {
  const { client, terminal } = context;
  const { file } = submission;
  const place = await findPlace(context, submission);
  const parameters = [...submission.parameters].map(([name, value]) => [`param.${name}`, value] as const);
  const query = { ...place, ...submission.options, parameters: Object.fromEntries(parameters) };
  const document = documentOf(submission);
  return explainedRequest(
    {
      create: (headers) => client.call('post', '/jobs', { query, document, headers }),
      preview: () => client.call('post', '/jobs', { query: { ...query, dry_run: true }, document }),
    },
    (error) => withFindings(error, file, submission.parameters, terminal.errorColors),
  );
}

/** Returns the body: the template, or the template with environment templates. */
function documentOf({ file, environments }: Submission): SentDocument {
  if (environments !== undefined) {
    const text = JSON.stringify({ template: file.text, format: file.format, environments });
    return { type: 'application/vnd.callsheet.submission+json', text };
  }
  return { type: file.format === 'json' ? 'application/json' : 'application/x-yaml', text: file.text };
}

/** Returns the error with the lines of the template that it is about. Returns an error about anything else as it is. */
function withFindings(
  error: unknown,
  file: TemplateFile,
  values: ReadonlyMap<string, string>,
  colors: boolean,
): unknown {
  if (!(error instanceof CommandError) || !(error.cause instanceof ProblemError)) return error;
  const { status, errors } = error.cause;
  if (status !== 422 || errors.length === 0) return error;
  const flags = errors.map((each) => flagError(each, values));
  const others = errors.filter((_error, at) => flags[at] === null);
  const lines = flags.filter((line) => line !== null).map(printable);
  if (others.length > 0) lines.push(findingsText(file, others, colors));
  return new PaintedError(error.exitCode, lines.join('\n'), { cause: error.cause });
}
