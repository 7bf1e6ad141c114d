const STEPS = 700;
const ARGUMENTS = 30;

/** A template of the maximum size. Parsing it takes much longer than a thread needs for an ordinary one. */
export function slowTemplate(): string {
  const args = Array.from({ length: ARGUMENTS }, (_unused, nth) => `"${nth} {{Task.Param.N}}"`).join(', ');
  const steps = Array.from(
    { length: STEPS },
    (_unused, nth) => `  - name: S${nth}
    parameterSpace: { taskParameterDefinitions: [{ name: N, type: INT, range: "1-9" }] }
    script: { actions: { onRun: { command: render, args: [${args}] } } }
`,
  );
  return `specificationVersion: jobtemplate-2023-09\nname: slow\nsteps:\n${steps.join('')}`;
}
