import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { test } from 'tap';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import { EXPRESSIONS } from '../../src/adapters/regex/default-expressions.ts';
import { checkTemplate } from '../../src/openjd/template/check-template.ts';
import { serviceFeatures } from '../../src/openjd/template/extensions.ts';
import { prepareJob } from '../../src/openjd/template/expand/prepare-job.ts';
import { textOfErrors } from '../../src/core/problems.ts';
import { openSpace } from '../../src/openjd/template/space/open-space.ts';
import { sharedFolder } from './shared-folder.ts';

const folder = sharedFolder('templates');
const skip = folder === null ? 'the templates are not here' : false;

/** Real templates that are rejected: the end of the file name, the first error, and why the rejection is correct. */
const REFUSED: readonly (readonly [file: RegExp, error: RegExp, why: string])[] = [
  [
    /\/expr-demo-template\.yaml$/,
    /Unknown function: 'str'/,
    'the specification has no such function: it is called string; nor format strings in timeouts',
  ],
  [
    /default_unreal_job_template_v\d+\.yaml$/,
    /^: "steps" is required/,
    'a fragment that a submitter completes',
  ],
  [
    /default_unreal_step_template_v\d+\.yaml$/,
    /^: "name" is required/,
    'a fragment that a submitter completes',
  ],
  [/asset_references\.yaml$/, /: is not YAML: Tabs are not allowed as indentation/, 'not a template'],
  [
    /afterfx_render_one_task\/template\.yaml$/,
    /^\/steps\/0\/name: must not be a format string$/,
    'the name of a step takes no format string',
  ],
];

/** Expanded by a model that does not resolve format strings in step names. */
const NOT_GOLDEN = /afterfx_render_one_task\/template\.yaml$/;

interface Golden {
  readonly given: Readonly<Record<string, string>>;
  readonly job_name: string;
  readonly params: Readonly<Record<string, string>>;
  readonly steps: readonly {
    readonly name: string;
    readonly tasks: number;
    readonly sample: readonly object[];
  }[];
}

const json = (name: string): unknown => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));

const read = (file: string): ReturnType<typeof readDocument> =>
  readDocument(readFileSync(`${folder}/${file}`, 'utf8'), file.endsWith('.json') ? 'json' : 'yaml');

void test('real templates are accepted, or rejected for the right reason', { skip }, (t) => {
  const index = json('index.json') as readonly { readonly file: string }[];
  for (const { file } of index.filter((entry) => existsSync(`${folder}/${entry.file}`))) {
    const document = read(file);
    const result = document.ok ? checkTemplate(document.document, { expressions: EXPRESSIONS }) : document;
    const expected = REFUSED.find(([pattern]) => pattern.test(file));
    if (result.ok) t.equal(expected?.[2], undefined, file);
    else t.match(textOfErrors(result.errors), expected?.[1] ?? 'no errors', file);
  }
  t.end();
});

const EXTRA = /\/(?:feature_bundle_1_\w+|let_host_context_template)\.yaml$/;

void test(
  'a service rejects the extensions of real templates that its operator must admit',
  { skip },
  (t) => {
    const index = json('index.json') as readonly { readonly file: string }[];
    const files = index
      .map(({ file }) => file)
      .filter((file) => EXTRA.test(file) && existsSync(`${folder}/${file}`));
    t.ok(files.length > 0);
    for (const file of files) {
      const document = read(file);
      if (!document.ok) throw new Error(textOfErrors(document.errors));
      const supported = serviceFeatures([]);
      const result = checkTemplate(document.document, { expressions: EXPRESSIONS, supported });
      const detail = /^\/extensions\/[01]: the extension FEATURE_BUNDLE_1 is not accepted here/;
      t.match(result.ok ? '' : textOfErrors(result.errors), detail, file);
    }
    t.end();
  },
);

void test('real templates expand as in the reference model', { skip }, (t) => {
  const golden = json('expansion-golden.json') as Readonly<Record<string, Golden>>;
  for (const [file, expected] of Object.entries(golden)) {
    if (NOT_GOLDEN.test(file)) continue;
    const document = read(file);
    const result = document.ok
      ? prepareJob(document.document, new Map(Object.entries(expected.given)), { expressions: EXPRESSIONS })
      : document;
    if (!result.ok) {
      t.fail(`${file}: ${textOfErrors(result.errors)}`);
      continue;
    }
    const { plan } = result.job;
    const steps = plan.steps.map(({ name, taskCount, space }) => {
      const opened = openSpace(space);
      const places = [
        ...Array(Math.min(3, opened.length)).keys(),
        ...(opened.length > 3 ? [opened.length - 1] : []),
      ];
      return { name, tasks: taskCount, sample: places.map((place) => opened.at(place)) };
    });
    t.same({ job_name: plan.jobName, steps }, { job_name: expected.job_name, steps: expected.steps }, file);
    const parameters = Object.entries(plan.parameters).map(([name, { type, value }]) => {
      // The reference model joins relative defaults to the template folder, which a server does not have.
      const joined = type === 'PATH' && value !== '' ? posix.resolve('/bundle', value) : value;
      return [name, joined] as const;
    });
    t.same(Object.fromEntries(parameters), expected.params, file);
  }
  t.end();
});
