/** An environment that a template defines. */
export interface DefinedEnvironment {
  /** Where it is defined: in the job template, in an environment of the queue, or in one that was sent with the job. */
  readonly origin: 'job' | 'queue' | 'submission';
  /** Name of its step; empty for an environment of the job. */
  readonly step: string;
  readonly name: string;
  readonly description: string;
  /** Names and values; values may hold references such as `{{Param.Scene}}`. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** Command at the start or the end of a session; empty for none. */
  readonly onEnter: string;
  readonly onExit: string;
}

type Members = Readonly<Record<string, unknown>>;

/** Returns the environments of a template, those of the job first. Leaves out what does not conform to the specification. */
export function environmentsOf(template: unknown): readonly DefinedEnvironment[] {
  if (!isObject(template)) return [];
  const ofJob = listIn(template, 'jobEnvironments').map((each) => environmentOf(each, ''));
  const ofSteps = listIn(template, 'steps').flatMap((step) =>
    listIn(step, 'stepEnvironments').map((each) => environmentOf(each, textIn(step, 'name'))),
  );
  return [...ofJob, ...ofSteps];
}

/** Returns the environment of an environment template; an empty list without a readable one. */
export function outerEnvironmentsOf(
  template: unknown,
  origin: DefinedEnvironment['origin'],
): readonly DefinedEnvironment[] {
  const environment = isObject(template) ? template['environment'] : undefined;
  return isObject(environment) ? [environmentOf(environment, '', origin)] : [];
}

function environmentOf(
  environment: Members,
  step: string,
  origin: DefinedEnvironment['origin'] = 'job',
): DefinedEnvironment {
  const variables = environment['variables'];
  const script = environment['script'];
  const actions = isObject(script) ? script['actions'] : undefined;
  return {
    origin,
    step,
    name: textIn(environment, 'name'),
    description: textIn(environment, 'description'),
    variables: isObject(variables)
      ? Object.entries(variables).map(([name, value]) => [name, textOf(value)] as const)
      : [],
    onEnter: commandOf(isObject(actions) ? actions['onEnter'] : undefined),
    onExit: commandOf(isObject(actions) ? actions['onExit'] : undefined),
  };
}

function commandOf(action: unknown): string {
  if (!isObject(action)) return '';
  const args = action['args'];
  return [textIn(action, 'command'), ...(Array.isArray(args) ? args.map(textOf) : [])].join(' ');
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function listIn(object: Members, name: string): readonly Members[] {
  const list = object[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

const textIn = (object: Members, name: string): string => textOf(object[name] ?? '');

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}
