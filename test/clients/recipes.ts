import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** A program on a page of the documentation. */
export interface Recipe {
  readonly title: string;
  readonly code: string;
}

/** Returns the programs in the section _Recipes_ of a page, each below a heading of its own. */
export function recipesIn(page: string, language: string): readonly Recipe[] {
  const text = readFileSync(fileURLToPath(new URL(page, packageRoot)), 'utf8');
  const section = /^## Recipes$(?<recipes>[^]*?)(?=^## |(?![^]))/m.exec(text)?.groups?.['recipes'] ?? '';
  return section
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const title = part.slice(0, part.indexOf('\n'));
      const code = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'm').exec(part)?.[1];
      if (code === undefined) throw new Error(`${page}: the recipe ${title} has no program`);
      return { title, code };
    });
}

/** Files in the working directory of each recipe. */
export const RECIPE_FILES = {
  'render.yaml': `
specificationVersion: jobtemplate-2023-09
name: '{{Param.Shot}}'
parameterDefinitions:
  - { name: Shot, type: STRING, default: shot }
  - { name: Frames, type: STRING, default: 1-3 }
  - { name: Fail, type: STRING, default: '' }
steps:
  - name: Render
    parameterSpace:
      taskParameterDefinitions: [{ name: Frame, type: INT, range: '{{Param.Frames}}' }]
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
    script:
      actions:
        onRun: { command: bash, args: ['{{Task.File.Run}}'] }
      embeddedFiles:
        - name: Run
          type: TEXT
          data: |
            echo "frame {{Task.Param.Frame}}"
            case " {{Param.Fail}} " in
              *" {{Task.Param.Frame}} "*) echo "error: no license for frame {{Task.Param.Frame}}" >&2; exit 3 ;;
            esac
`,
  'shots.csv': 'name,frames,priority\nshot010,1-3,60\nshot020,1-2,40\n',
} as const;
