import { done, refused, type Outcome } from '../../src/core/problems.ts';
import type { TemplateText } from '../../src/core/records/job.ts';
import {
  checked,
  list,
  messageParser,
  oneOf,
  optional,
  record,
  text,
} from '../../src/core/wire/field-readers.ts';
import type { Schemas } from '../views/schemas.ts';

/** Environment templates that are sent with a job (docs/queue-environments.md#environments-of-a-submission). */

/** Media type of a body with a template and environment templates. */
export const SUBMISSION_TYPE = 'application/vnd.callsheet.submission+json';

const ENVIRONMENTS_MAX = 20;
const ENVIRONMENT_LENGTH_MAX = 262_144;
/** A body can hold only whole characters, which the store keeps as they are; escapes in JSON can be others. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const wellFormed = (max: number) =>
  checked(text(max, 1), (value) =>
    LONE_SURROGATE.test(value) ? 'must not contain an unpaired surrogate' : null,
  );

interface SentTemplate {
  readonly template: string;
  readonly format?: TemplateText['format'];
}

interface SentJob extends SentTemplate {
  readonly environments?: readonly SentTemplate[];
}

const format = optional(oneOf({ yaml: true, json: true }));
const parse = messageParser(
  record<SentJob>({
    template: wellFormed(Number.MAX_SAFE_INTEGER),
    format,
    environments: optional(
      list(record<SentTemplate>({ template: wellFormed(ENVIRONMENT_LENGTH_MAX), format }), ENVIRONMENTS_MAX),
    ),
  }),
  { length: Number.MAX_SAFE_INTEGER, nesting: 8, members: 1_000 },
);

/** Reads a body of the type `SUBMISSION_TYPE`. */
export function readSubmission(
  body: string,
): Outcome<TemplateText & { readonly environments: readonly TemplateText[] }> {
  const parsed = parse(body);
  if (!parsed.ok) return refused('bad-request', `the body is not a submission: ${parsed.reason}`);
  const { environments = [] } = parsed.value;
  return done({ ...textOf(parsed.value), environments: environments.map(textOf) });
}

/** Returns the environment templates in a body; undefined for a body without the list. */
export const environmentTexts = ({
  environments,
}: {
  readonly environments?: Schemas['SubmittedEnvironments'];
}): readonly TemplateText[] | undefined => environments?.map(textOf);

const textOf = ({ template, format: given = 'yaml' }: SentTemplate): TemplateText => ({
  text: template,
  format: given,
});
