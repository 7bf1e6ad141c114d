import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import {
  checkEnvironmentTemplate,
  environmentNameOf,
  errorsOfSource,
  templateKindOf,
  type OuterEnvironment,
} from '../../src/openjd/template/check-environment.ts';
import { checkTemplate } from '../../src/openjd/template/check-template.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import { serviceFeatures } from '../../src/openjd/template/extensions.ts';
import type { LanguageOptions } from '../../src/openjd/template/language/options.ts';
import { prepareJob, type PreparedJob } from '../../src/openjd/template/expand/prepare-job.ts';
import { textOfErrors } from '../../src/core/problems.ts';
import { openSpace } from '../../src/openjd/template/space/open-space.ts';
import { answerEval, type EvalAnswer } from './eval-answer.ts';
import type { ReadResult } from '../../src/openjd/template/read-result.ts';
import { featuresOf } from './extensions-option.ts';
import { LISTING } from './limits.ts';
import { MAX_LISTED_TASKS } from './listing-limits.ts';
import { memberOf } from './member-of.ts';

type JsonlKind = 'check' | 'expand' | 'eval';

/** Without `--extensions` the verdict is that of a farm whose operator admits no further extensions. */
const FARM_FEATURES = serviceFeatures([]);

/**
 * Answers each line of JSON with a line of JSON, in order, until the input ends (docs/contract/commands.md#json-lines).
 * An unreadable line is answered with an error, too.
 */
export async function runOpenjdJsonl(
  kind: JsonlKind,
  lines: AsyncIterable<string>,
  write: (line: string) => Promise<void> | void,
  extensions?: string,
): Promise<void> {
  const supported = extensions === undefined ? FARM_FEATURES : featuresOf(extensions);
  const options = { ...LISTING, supported };
  for await (const line of lines) {
    if (line.trim() !== '') await write(JSON.stringify(answer(kind, line, options)));
  }
}

type Answer =
  | { readonly ok: true; readonly job?: ListedJob; readonly notes?: readonly string[] }
  | EvalAnswer
  | { readonly ok: false; readonly error: string };

interface ListedJob {
  readonly name: string;
  readonly steps: readonly {
    readonly name: string;
    readonly task_count: number;
    readonly tasks: readonly object[];
  }[];
}

/** Parses the line like a template, so that numbers keep their source text. */
function answer(kind: JsonlKind, line: string, options: LanguageOptions): Answer {
  const request = readDocument(line, 'json');
  if (!request.ok) return refused(textOfErrors(request.errors));
  if (kind === 'eval') return answerEval(request.document);
  const template = memberOf(request.document, 'template');
  if (template === undefined) return refused('the line has no "template"');
  const params = memberOf(request.document, 'params');
  const values = params === undefined ? undefined : textsOf(params);
  if (params !== undefined && values === undefined)
    return refused('"params" must be a mapping of names to text');
  const read = readMember(template);
  if (!read.ok) return refused(textOfErrors(read.errors));
  const outer = environmentsOf(memberOf(request.document, 'environments'), options);
  if (typeof outer === 'string') return refused(outer);
  if (kind === 'check' && values === undefined && outer.length === 0) {
    const check = templateKindOf(read.document) === 'environment' ? checkEnvironmentTemplate : checkTemplate;
    const checked = check(read.document, options);
    return checked.ok ? { ok: true, ...notesOf(checked.template) } : refused(textOfErrors(checked.errors));
  }
  const given = values ?? new Map<string, string>();
  const prepared = prepareJob(read.document, given, options, { environments: outer });
  if (!prepared.ok) return refused(textOfErrors(prepared.errors));
  const notes = notesOf(prepared.job);
  return kind === 'check' ? { ok: true, ...notes } : { ok: true, job: listed(prepared.job), ...notes };
}

const notesOf = ({
  farmNotes,
}: {
  readonly farmNotes: readonly string[];
}): { readonly notes?: readonly string[] } => (farmNotes.length === 0 ? {} : { notes: farmNotes });

/** Reads a template that is a text, or an object of the line. */
const readMember = (node: DocumentNode): ReadResult =>
  node.kind === 'string' ? readDocument(node.value, 'yaml') : { ok: true, document: node };

/** Returns the environment templates of a line, or what is wrong with them. */
function environmentsOf(
  list: DocumentNode | undefined,
  options: LanguageOptions,
): readonly OuterEnvironment[] | string {
  if (list === undefined || list.kind === 'null') return [];
  if (list.kind !== 'sequence') return '"environments" must be a list of environment templates';
  const outer: OuterEnvironment[] = [];
  for (const [index, node] of list.items.entries()) {
    const read = readMember(node);
    const checked = read.ok ? checkEnvironmentTemplate(read.document, options) : read;
    if (!checked.ok) return textOfErrors(errorsOfSource(`environment ${index}`, checked.errors));
    const { template } = checked;
    outer.push({ source: `environment ${JSON.stringify(environmentNameOf(template))}`, template });
  }
  return outer;
}

function listed(job: PreparedJob): ListedJob {
  return {
    name: job.plan.jobName,
    steps: job.plan.steps.map((step) => {
      const space = openSpace(step.space);
      const tasks = Array.from({ length: Math.min(space.length, MAX_LISTED_TASKS) }, (_, index) =>
        space.at(index),
      );
      return { name: step.name, task_count: step.taskCount, tasks };
    }),
  };
}

/** Parameter values by name; numbers and booleans keep their source text. */
function textsOf(node: DocumentNode): Map<string, string> | undefined {
  if (node.kind === 'null') return new Map();
  if (node.kind !== 'mapping') return undefined;
  const texts = new Map<string, string>();
  for (const { key, value } of node.entries) {
    if (value.kind === 'string') texts.set(key, value.value);
    else if (value.kind === 'integer' || value.kind === 'float') texts.set(key, value.text);
    else if (value.kind === 'boolean') texts.set(key, String(value.value));
    else return undefined;
  }
  return texts;
}

const refused = (error: string): Answer => ({ ok: false, error });
