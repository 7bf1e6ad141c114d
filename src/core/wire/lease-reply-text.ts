import type { StepId } from '../ids.ts';
import type { TaskParameterValue } from '../../openjd/template/plan.ts';
import type { RequireAllFields } from '../records/require-all-fields.ts';
import type { Assignment, LeaseReply, PathMapMessage, StepAssignment } from './bus-messages.ts';

type Leases = Extract<LeaseReply, { type: 'leases' }>;

/** Maximum number of characters in the texts of one generation. */
const KEPT_LENGTH = 4 * 2 ** 20;
/** Additional cost of an entry, in characters. */
const ENTRY_LENGTH = 64;

/** Cache of the JSON texts of immutable values. Texts that were not used for a while are dropped. */
class KeptTexts<Entry extends { readonly text: string }> {
  #recent = new Map<object, Entry>();
  #before = new Map<object, Entry>();
  #length = 0;

  get(part: object): Entry | undefined {
    const recent = this.#recent.get(part);
    if (recent !== undefined) return recent;
    const before = this.#before.get(part);
    if (before !== undefined) this.keep(part, before);
    return before;
  }

  keep(part: object, entry: Entry): void {
    const length = entry.text.length + ENTRY_LENGTH;
    this.#length += length;
    if (this.#length > KEPT_LENGTH) {
      this.#before = this.#recent;
      this.#recent = new Map();
      this.#length = length;
    }
    this.#recent.set(part, entry);
  }
}

type WholeStep = RequireAllFields<
  StepAssignment,
  | 'job_name'
  | 'step_name'
  | 'job_parameters'
  | 'job_environments'
  | 'step_environments'
  | 'script'
  | 'lets'
  | 'compute_location'
  | 'memory_mib'
  | 'extensions'
  | 'deliveries'
  | 'ready_left'
  | 'isolation'
>;

/** The text of a step before the parts that may differ from lease to lease. */
interface Head {
  readonly step: WholeStep;
  readonly text: string;
}

/** Reports whether two steps with the same script have the same head. */
const haveSameHead = (a: WholeStep, b: WholeStep): boolean =>
  a.job_name === b.job_name &&
  a.step_name === b.step_name &&
  a.job_parameters === b.job_parameters &&
  a.job_environments === b.job_environments &&
  a.step_environments === b.step_environments &&
  a.compute_location === b.compute_location &&
  a.memory_mib === b.memory_mib &&
  a.lets === b.lets &&
  a.extensions === b.extensions &&
  a.deliveries === b.deliveries;

/**
 * Writes lease replies as JSON.stringify does, in a fraction of the time: the shared text of a step is not written
 * again for each reply.
 */
export class LeaseReplyWriter {
  /** Texts of parts that several steps may share. */
  readonly #parts = new KeptTexts<{ readonly text: string }>();
  /** By the scripts of the steps. */
  readonly #heads = new KeptTexts<Head>();

  /** Returns the reply as JSON text. The parts of its steps and of its path map must never change. */
  textOf(reply: LeaseReply): string {
    return reply.type === 'leases' ? this.#leases(reply) : '{"v":1,"type":"unknown"}';
  }

  #leases(
    reply: RequireAllFields<Leases, 'v' | 'type' | 'assignments' | 'steps' | 'path_map' | 'confirmed'>,
  ): string {
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
    if (reply.confirmed !== undefined) text += `,"confirmed":${idsText(reply.confirmed)}`;
    return `${text}}`;
  }

  #step(step: WholeStep): string {
    let text = this.#head(step);
    if (step.ready_left !== undefined) text += `,"ready_left":${step.ready_left}`;
    if (step.isolation !== undefined) text += `,"isolation":${this.#part(step.isolation)}`;
    return `${text}}`;
  }

  #head(step: WholeStep): string {
    const kept = this.#heads.get(step.script);
    if (kept !== undefined && haveSameHead(kept.step, step)) return kept.text;
    const parts = [
      `{"job_name":${JSON.stringify(step.job_name)},"step_name":${JSON.stringify(step.step_name)},`,
      `"job_parameters":${this.#part(step.job_parameters)},"job_environments":${this.#part(step.job_environments)},`,
      `"step_environments":${this.#part(step.step_environments)},"script":${this.#part(step.script)},`,
      `"compute_location":${JSON.stringify(step.compute_location)}`,
    ];
    if (step.memory_mib !== undefined) parts.push(`,"memory_mib":${step.memory_mib}`);
    if (step.lets !== undefined) parts.push(`,"lets":${this.#part(step.lets)}`);
    if (step.extensions !== undefined) parts.push(`,"extensions":${this.#part(step.extensions)}`);
    if (step.deliveries !== undefined) parts.push(`,"deliveries":${this.#part(step.deliveries)}`);
    const text = parts.join('');
    this.#heads.keep(step.script, { step, text });
    return text;
  }

  #part(part: object): string {
    const kept = this.#parts.get(part);
    if (kept !== undefined) return kept.text;
    const text = JSON.stringify(part);
    this.#parts.keep(part, { text });
    return text;
  }

  #pathMap(map: RequireAllFields<PathMapMessage, 'compute_location' | 'locations'>): string {
    return `{"compute_location":${JSON.stringify(map.compute_location)},"locations":${this.#part(map.locations)}}`;
  }
}

/** Ids contain no characters that JSON escapes. */
const idsText = (ids: readonly string[]): string => (ids.length === 0 ? '[]' : `["${ids.join('","')}"]`);

/** Numbers are finite. */
function assignmentText(
  assignment: RequireAllFields<
    Assignment,
    'task_id' | 'job_id' | 'step_id' | 'attempt_id' | 'name' | 'cores' | 'gpus' | 'parameters'
  >,
): string {
  const { task_id, job_id, step_id, attempt_id, name, cores, gpus, parameters } = assignment;
  return (
    `{"task_id":"${task_id}","job_id":"${job_id}","step_id":"${step_id}","attempt_id":"${attempt_id}",` +
    `"name":${JSON.stringify(name)},"cores":${cores},"parameters":${parametersText(parameters)}${gpusText(gpus)}}`
  );
}

const gpusText = (gpus: Assignment['gpus']): string =>
  gpus === undefined ? '' : `,"gpus":[${gpus.join(',')}]`;

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

const valueText = ({ type, value }: RequireAllFields<TaskParameterValue, 'type' | 'value'>): string =>
  `{"type":"${type}","value":${JSON.stringify(value)}}`;
