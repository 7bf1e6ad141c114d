const NAME_LENGTH_MAX = 200;

/** Returns the name of a task: the step's name, and its parameters if it has any. */
export function taskNameOf(stepName: string, parameters: Readonly<Record<string, string>>): string {
  let values = '';
  for (const parameter of Object.keys(parameters)) {
    values += `${values === '' ? '' : ', '}${parameter}=${parameters[parameter] ?? ''}`;
  }
  const name = values === '' ? stepName : `${stepName}[${values}]`;
  return name.length <= NAME_LENGTH_MAX ? name : `${name.slice(0, NAME_LENGTH_MAX - 1)}…`;
}
