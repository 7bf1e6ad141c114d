import type { StepId } from '../ids.ts';
import type { TaskParameterValue } from '../openjd/plan.ts';
import type { Written } from '../records/written.ts';
import type { Assignment, LeaseReply, PathMapMessage, StepAssignment } from './bus-messages.ts';

type Leases = Extract<LeaseReply, { type: 'leases' }>;

/** Characters of the texts that one generation keeps. */
const KEPT_LENGTH = 4 * 2 ** 20;
/** What an entry costs beside its text, in characters. */
const ENTRY_LENGTH = 64;

/**
 * Texts of parts that many replies share, by the part itself: what is made once for a step is written once. Parts are values that never
 * change. Of what was not used for a while nothing is kept.
 */
class SharedTexts {
  #recent = new Map<object, string>();
  #before = new Map<object, string>();
  #length = 0;

  of(part: object): string {
    const recent = this.#recent.get(part);
    if (recent !== undefined) return recent;
    const text = this.#before.get(part) ?? JSON.stringify(part);
    this.#length += text.length + ENTRY_LENGTH;
    if (this.#length > KEPT_LENGTH) {
      this.#before = this.#recent;
      this.#recent = new Map();
      this.#length = text.length + ENTRY_LENGTH;
    }
    this.#recent.set(part, text);
    return text;
  }
}

/** Writes lease replies as JSON.stringify would, in a fraction of the time: what the tasks of a step share is not written anew for each reply. */
export class LeaseReplyWriter {
  readonly #shared = new SharedTexts();

  /** The reply as JSON text. The parts of its steps and of its path map must never change. */
  textOf(reply: LeaseReply): string {
    return reply.type === 'leases' ? this.#leases(reply) : '{"v":1,"type":"unknown"}';
  }

  #leases(reply: Written<Leases, 'v' | 'type' | 'assignments' | 'steps' | 'path_map' | 'confirmed'>): string {
    let text = '{"v":1,"type":"leases","assignments":[';
    let joint = '';
    for (const assignment of reply.assignments) {
      text += joint + assignmentText(assignment);
      joint = ',';
    }
    text += '],"steps":{';
    joint = '';
    for (const id of Object.keys(reply.steps) as StepId[]) {
      const step = reply.steps[id];
      if (step === undefined) continue;
      text += `${joint}"${id}":${this.#step(step)}`;
      joint = ',';
    }
    text += '}';
    if (reply.path_map !== undefined) text += `,"path_map":${this.#pathMap(reply.path_map)}`;
    if (reply.confirmed !== undefined) text += `,"confirmed":${JSON.stringify(reply.confirmed)}`;
    return `${text}}`;
  }

  #step(
    step: Written<
      StepAssignment,
      | 'job_name'
      | 'step_name'
      | 'job_parameters'
      | 'job_environments'
      | 'step_environments'
      | 'script'
      | 'lets'
      | 'compute_location'
      | 'extensions'
      | 'deliveries'
      | 'ready_left'
      | 'isolation'
    >,
  ): string {
    const shared = this.#shared;
    let text =
      `{"job_name":${JSON.stringify(step.job_name)},"step_name":${JSON.stringify(step.step_name)},` +
      `"job_parameters":${shared.of(step.job_parameters)},"job_environments":${shared.of(step.job_environments)},` +
      `"step_environments":${shared.of(step.step_environments)},"script":${shared.of(step.script)},` +
      `"compute_location":${JSON.stringify(step.compute_location)}`;
    if (step.lets !== undefined) text += `,"lets":${shared.of(step.lets)}`;
    if (step.extensions !== undefined) text += `,"extensions":${shared.of(step.extensions)}`;
    if (step.deliveries !== undefined) text += `,"deliveries":${shared.of(step.deliveries)}`;
    if (step.ready_left !== undefined) text += `,"ready_left":${step.ready_left}`;
    if (step.isolation !== undefined) text += `,"isolation":${shared.of(step.isolation)}`;
    return `${text}}`;
  }

  #pathMap(map: Written<PathMapMessage, 'compute_location' | 'locations'>): string {
    return `{"compute_location":${JSON.stringify(map.compute_location)},"locations":${this.#shared.of(map.locations)}}`;
  }
}

/** Ids hold nothing that JSON escapes; numbers are finite. */
function assignmentText(
  assignment: Written<
    Assignment,
    'task_id' | 'job_id' | 'step_id' | 'attempt_id' | 'name' | 'cores' | 'parameters'
  >,
): string {
  const { task_id, job_id, step_id, attempt_id, name, cores, parameters } = assignment;
  return (
    `{"task_id":"${task_id}","job_id":"${job_id}","step_id":"${step_id}","attempt_id":"${attempt_id}",` +
    `"name":${JSON.stringify(name)},"cores":${cores},"parameters":${parametersText(parameters)}}`
  );
}

function parametersText(parameters: Assignment['parameters']): string {
  let text = '{';
  let joint = '';
  for (const name of Object.keys(parameters)) {
    const value = parameters[name];
    if (value === undefined) continue;
    text += `${joint}${JSON.stringify(name)}:${valueText(value)}`;
    joint = ',';
  }
  return `${text}}`;
}

const valueText = ({ type, value }: Written<TaskParameterValue, 'type' | 'value'>): string =>
  `{"type":"${type}","value":${JSON.stringify(value)}}`;
