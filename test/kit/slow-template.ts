const STEPS = 700;
const ARGUMENTS = 30;

/** A template of the maximum size, or of some steps. Parsing it takes much longer than an ordinary one. */
export function slowTemplate(length = STEPS): string {
  const args = Array.from({ length: ARGUMENTS }, (_unused, nth) => `"${nth} {{Task.Param.N}}"`).join(', ');
  const steps = Array.from(
    { length },
    (_unused, nth) => `  - name: S${nth}
    parameterSpace: { taskParameterDefinitions: [{ name: N, type: INT, range: "1-9" }] }
    script: { actions: { onRun: { command: render, args: [${args}] } } }
`,
  );
  return `specificationVersion: jobtemplate-2023-09\nname: slow\nsteps:\n${steps.join('')}`;
}
