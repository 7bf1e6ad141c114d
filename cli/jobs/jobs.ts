import { Option, type Command } from 'commander';
import { capOptions } from '../options/caps.ts';
import { integer } from '../options/integer.ts';
import type { ClientOptions } from '../client/client-command.ts';
import { futureTimeOrNone } from '../options/expiry.ts';
import type { HoldOptions } from './hold.ts';
import { showGraph } from './graph.ts';
import { printOutputs, type OutputOptions } from './outputs.ts';
import { listPreviews, type PreviewOptions } from './previews.ts';
import type { JobRetryOptions } from './retry.ts';
import { RETRY_RULES_HELP } from '../options/retry-rules.ts';
import { retryOptions } from '../options/retry-options.ts';
import type { SubmissionOptions } from '../submission/submission.ts';
import { submitVerb } from '../submission/submit.ts';
import { verb, type Noun, type Verb } from '../grammar/verb.ts';
import {
  cancelJob,
  changeJob,
  changeStep,
  deleteJob,
  retryJobs,
  setJob,
  skipOfJob,
  type JobSetOptions,
  type WaitOptions,
} from './job-actions.ts';
import { cloneJob, cloneOptions } from './job-clone.ts';
import { showJob } from './job-details.ts';
import { jobListOptions, listJobs, type JobListOptions } from './job-list.ts';
import { waitForJobs, watchJob, type JobWaitOptions } from './job-wait.ts';
import type { JobSkipOptions } from './skip.ts';
import { logsVerb } from '../logs/logs.ts';
import { confirmable, JOB_ARGUMENT, type ConfirmOptions } from '../grammar/verb-parts.ts';

/** Adds the options that wait for the end of the job after a change. */
const waiting = (command: Command): Command =>
  command
    .option('--wait', 'wait for the end and exit by the outcome')
    .option('--watch', 'show the progress of each step and wait for the end');

/** Adds the options that select tasks of a job. */
const taskSelection = (command: Command): Command =>
  command
    .option('--step <step>', 'only tasks of this step, by name or id')
    .option(
      '--range <values>',
      'only tasks with these values of a task parameter, such as Frame=1003-1007, or 1003-1007,1010 if the step has one integer parameter',
    )
    .option('--index-range <range>', 'only tasks at these positions in the step, such as 0-9,14')
    .option('--dry-run', 'only show which tasks');

const stepOption = (command: Command): Command => command.option('--step <step>', 'the step, by name or id');

const retrySelection = (command: Command): Command =>
  taskSelection(command)
    .option('--skipped', 'only tasks that were skipped, to undo the skip')
    .option('--worker <worker>', 'only failed tasks whose last attempt ran on this worker')
    .option('--no-dependents', 'not the dependents that were canceled because of the job');

/** Verbs of jobs. A verb is added here, and nowhere else. */
const VERBS: readonly [Verb, ...Verb[]] = [
  verb<JobListOptions>({
    name: 'list',
    about: 'List jobs, newest first.',
    options: jobListOptions,
    run: (_args, options) => listJobs(options),
  }),
  verb<ClientOptions>({
    name: 'show',
    about: 'Show a job with its steps.',
    arguments: [JOB_ARGUMENT],
    run: ([job = ''], options) => showJob(job, options),
  }),
  submitVerb,
  verb<WaitOptions & ConfirmOptions>({
    name: 'cancel',
    about: 'Cancel a job.',
    arguments: [JOB_ARGUMENT],
    options: (command) => confirmable(waiting(command)),
    run: ([job = ''], options) => cancelJob(job, options),
  }),
  verb<WaitOptions & JobRetryOptions>({
    name: 'retry',
    about: 'Retry failed and canceled tasks of a job.',
    arguments: [JOB_ARGUMENT],
    options: (command) => retrySelection(waiting(command)),
    run: ([job = ''], options) => retryJobs(job, options),
  }),
  verb<WaitOptions & JobSkipOptions>({
    name: 'skip',
    about: 'Mark tasks of a job as done without running them.',
    arguments: [JOB_ARGUMENT],
    options: (command) =>
      taskSelection(waiting(command))
        .option('--failed', 'only failed tasks')
        .option('--reason <text>', 'why, shown with the tasks'),
    run: ([job = ''], options) => skipOfJob(job, options),
  }),
  verb<WaitOptions & HoldOptions>({
    name: 'hold',
    about: 'Hold a step: running tasks continue, no new ones start.',
    arguments: [JOB_ARGUMENT],
    options: (command) => stepOption(waiting(command)).option('--reason <text>', 'why, shown with the step'),
    run: ([job = ''], options) => changeStep(job, 'hold', options),
  }),
  verb<WaitOptions & HoldOptions>({
    name: 'release',
    about: 'Release a held step.',
    arguments: [JOB_ARGUMENT],
    options: (command) => stepOption(waiting(command)),
    run: ([job = ''], options) => changeStep(job, 'release', options),
  }),
  verb<WaitOptions>({
    name: 'pause',
    about: 'Pause a job: running tasks continue, no new ones start.',
    arguments: [JOB_ARGUMENT],
    options: waiting,
    run: ([job = ''], options) => changeJob(job, 'pause', options),
  }),
  verb<WaitOptions>({
    name: 'resume',
    about: 'Resume a paused job.',
    arguments: [JOB_ARGUMENT],
    options: waiting,
    run: ([job = ''], options) => changeJob(job, 'resume', options),
  }),
  verb<JobSetOptions>({
    name: 'set',
    about: 'Change settings of a job.',
    arguments: [JOB_ARGUMENT],
    options: (command) =>
      retryOptions(
        capOptions(waiting(command))
          .option('--priority <n>', 'higher is scheduled sooner', integer)
          .option('--top', 'the lowest priority that puts the job first in its queue')
          .option('--preview', 'change nothing; show which jobs of the queue it would pass')
          .option(
            '--start-after <time>',
            'no task starts before this time, such as 2026-11-22T20:00 or 6h, or none',
            futureTimeOrNone,
          )
          .option('--queue <queue>', "another queue of the job's farm")
          .option('--retry-rules <file>', RETRY_RULES_HELP),
      ),
    run: ([job = ''], options) => setJob(job, options),
  }),
  verb<OutputOptions & ClientOptions>({
    name: 'outputs',
    about: 'List the outputs of a job.',
    arguments: [JOB_ARGUMENT],
    options: (command) => command.option('--location <name>', 'show the paths at this compute location'),
    run: ([job = ''], options) => printOutputs(job, options),
  }),
  verb<PreviewOptions & ClientOptions>({
    name: 'previews',
    about: 'List the previews of the outputs of a job, or save their images.',
    arguments: [JOB_ARGUMENT],
    options: (command) => command.option('--save <dir>', 'write the images to this directory, as WebP'),
    run: ([job = ''], options) => listPreviews(job, options),
  }),
  verb<ClientOptions>({
    name: 'graph',
    about: 'List the jobs that are connected to a job by dependencies, in both directions.',
    arguments: [JOB_ARGUMENT],
    run: ([job = ''], options) => showGraph(job, options),
  }),
  verb<SubmissionOptions>({
    name: 'clone',
    about: 'Submit a job again, with changes. Prints the id of the new job.',
    arguments: [JOB_ARGUMENT],
    options: cloneOptions,
    run: ([job = ''], options) => cloneJob(job, options),
  }),
  verb<ClientOptions & ConfirmOptions>({
    name: 'delete',
    about: 'Cancel the running tasks of a job and delete it with all its data.',
    arguments: [JOB_ARGUMENT],
    options: confirmable,
    run: ([job = ''], options) => deleteJob(job, options),
  }),
  verb<JobWaitOptions>({
    name: 'wait',
    about: 'Wait for the end of jobs and exit by the outcome.',
    arguments: [{ ...JOB_ARGUMENT, name: '<job...>' }],
    options: (command) =>
      command
        .addOption(new Option('--any', 'wait for the first job that ends').conflicts('all'))
        .option('--all', 'wait for all jobs (the default)'),
    run: (jobs, options) => waitForJobs(jobs, options),
  }),
  verb<ClientOptions>({
    name: 'watch',
    about: 'Show the progress of each step of a job until it ends.',
    arguments: [JOB_ARGUMENT],
    run: ([job = ''], options) => watchJob(job, options),
  }),
  logsVerb,
];

/** `callsheet jobs` */
export const jobs: Noun = {
  name: 'jobs',
  singular: 'job',
  about:
    'List, show, submit, cancel, retry, pause, resume, change, clone, delete or wait for jobs, list their outputs, previews and connected jobs, skip tasks or hold steps.',
  verbs: VERBS,
};
