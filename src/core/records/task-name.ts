const NAME_LENGTH_MAX = 200;

/** How a task is called: the step's name, and its parameters when it has any. */
export function taskNameOf(stepName: string, parameters: Readonly<Record<string, string>>): string {
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  const name = values.length === 0 ? stepName : `${stepName}[${values.join(', ')}]`;
  return name.length <= NAME_LENGTH_MAX ? name : `${name.slice(0, NAME_LENGTH_MAX - 1)}…`;
}
