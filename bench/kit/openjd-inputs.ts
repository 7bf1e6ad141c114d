import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

export const EXAMPLE = fileURLToPath(new URL('examples/fractal/template.yaml', packageRoot));

/** Returns the texts of real templates, which are next to the repository or in CALLSHEET_SHARED; else the example. */
export function templateTexts(): readonly string[] {
  const folder = resolve(process.env['CALLSHEET_SHARED'] ?? '../shared', 'templates');
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => join(folder, file))
    : [EXAMPLE];
  return files.map((file) => readFileSync(file, 'utf8'));
}

/** Returns a template of many steps, each of a hundred tasks after the step before. */
export function manySteps(count: number): string {
  const one = (index: number): string => `  - name: Step ${index}
    ${index === 0 ? '' : `dependencies: [{dependsOn: Step ${index - 1}}]`}
    parameterSpace:
      taskParameterDefinitions:
        - {name: Frame, type: INT, range: 1-100}
    script:
      actions:
        onRun:
          command: render
          args: ['--frame', '{{Task.Param.Frame}}', '{{Param.Scene}}', "{{Task.File.Run}}"]
      embeddedFiles:
        - name: Run
          type: TEXT
          data: |
            #!/bin/sh
            echo {{Task.Param.Frame}}
`;
  return `specificationVersion: jobtemplate-2023-09
name: Many steps
parameterDefinitions: [{name: Scene, type: PATH, default: a.blend}]
steps:
${Array.from({ length: count }, (_, index) => one(index)).join('')}`;
}

/** Returns a template of one step, whose tasks are all combinations of the ranges. */
export function manyTasks(...ranges: string[]): string {
  const definitions = ranges.map((range, index) => `{name: P${index}, type: INT, range: '${range}'}`);
  return `specificationVersion: jobtemplate-2023-09
name: Many tasks
steps:
  - name: Render
    parameterSpace: {taskParameterDefinitions: [${definitions.join(', ')}]}
    script: {actions: {onRun: {command: render, args: ['{{Task.Param.P0}}']}}}
`;
}
