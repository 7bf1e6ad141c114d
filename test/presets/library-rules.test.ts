import { test } from 'tap';
import { codeProblems } from './library/code-rules.ts';
import { formProblems } from './library/form-rules.ts';
import { memberProblems } from './library/member-rules.ts';
import { readPreset } from './library/preset-files.ts';
import { pythonProblems, renderedCases } from './library/rendered-code.ts';
import { HOSTILE } from './library/sample-values.ts';
import { workProblems } from './library/work-rules.ts';

const PRESET = `name: vendor/render
title: Render
description: Renders a scene.
category: 3D
version: 1.0.0
readme: |
  Renders a scene. Workers report \`autodesk_3dsmax\`, and the pool is \`arnold\`.

  ## Needs

  ## Success
template:
  specificationVersion: jobtemplate-2023-09
  extensions: [EXPR]
  name: '{{RawParam.Scene[:100]}}'
  parameterDefinitions:
    - name: Scene
      type: PATH
      objectType: FILE
      dataFlow: IN
      description: The scene to render.
      userInterface:
        control: CHOOSE_INPUT_FILE
        label: Scene
        groupLabel: Scene
        fileFilters: [{ label: All files, patterns: ['*'] }]
    - name: Frames
      type: RANGE_EXPR
      default: 1-100
      description: The frames to render.
      userInterface: { control: LINE_EDIT, label: Frames, groupLabel: Frames }
  steps:
    - name: Render
      hostRequirements:
        amounts: [{ name: amount.worker.usagepool.arnold, min: 1 }]
        attributes: [{ name: attr.worker.tag.autodesk_3dsmax, anyOf: ['true'] }]
      script:
        actions:
          onRun:
            command: python3
            args: ['-u', '{{Task.File.Render}}']
            timeout: 86400
            cancelation: { mode: NOTIFY_THEN_TERMINATE, notifyPeriodInSeconds: 30 }
        embeddedFiles:
          - name: Render
            type: TEXT
            filename: render.py
            data: |
              scene = {{ repr_py(string(Param.Scene)) }}
              places = ["C:/Program Files/Autodesk/3ds Max */3dsmaxcmd.exe"]
              print(scene, places)
`;

/** Returns the problems of a preset; those of hostile values if it has no others. */
function problemsOf(text: string): readonly string[] {
  const read = readPreset('vendor/render', text);
  if (!read.ok) return read.problems;
  const { preset } = read;
  const found = [
    ...memberProblems(preset),
    ...formProblems(preset),
    ...workProblems(preset),
    ...codeProblems(preset),
  ];
  if (found.length > 0) return found;
  const rendered = renderedCases(preset, HOSTILE);
  return [...rendered.problems, ...pythonProblems(rendered.cases)];
}

/** A change that breaks one rule, and the problem that it must cause. */
type Mutant = readonly [from: string | RegExp, to: string, problem: RegExp];

const MEMBERS: readonly Mutant[] = [
  ['name: vendor/render', 'name: vendor/other', /the file is vendor\/render/],
  ['title: Render\n', '', /misses the member title/],
  ['title: Render\n', 'title: ""\n', /title: must not be blank/],
  ['title: Render\n', 'titel: Render\ntitle: Render\n', /not a member of a product definition/],
  ['category: 3D\nversion: 1.0.0', 'version: 1.0.0\ncategory: 3D', /has the members .*version, category/],
  ['category: 3D\n', '', /category is missing or empty/],
  ['Renders a scene.', 'x'.repeat(501), /description: must not have more than 500 characters/],
  ['Renders a scene. Workers', 'x'.repeat(8000), /readme: must not have more than 8000 characters/],
  ['category: 3D', 'category: Rendering', /category Rendering/],
  ['version: 1.0.0', 'version: 1.0', /version: must be a semantic version/],
  ['version: 1.0.0', 'version: 1.0.0-beta', /not a released version/],
  ['## Success', '## Result', /no heading "## Success"/],
  ['  ## Success', '  ## Success\n\n  | a | b |', /contains a table/],
  ['  ## Success', '  ## Success\n\n  <b>bold</b>', /contains HTML/],
];

const FORM: readonly Mutant[] = [
  ['control: LINE_EDIT, ', '', /Frames: has no control/],
  ['label: Frames, ', '', /Frames: has no label/],
  ['groupLabel: Frames', 'groupLabel: Range', /has the group "Range"/],
  ['description: The scene to render.', 'description: The scene, #1 of all.', /help text "The scene,"/],
  ['      objectType: FILE\n', '', /Scene: has no objectType/],
  ['      dataFlow: IN\n', '', /Scene: has no dataFlow/],
  ["patterns: ['*']", "patterns: ['*.ma']", /no file filter for all files/],
  ['default: 1-100', 'default: 1-10', /Frames: has default 1-10/],
  ['type: RANGE_EXPR', 'type: STRING', /Frames: has type STRING/],
];

const WORK: readonly Mutant[] = [
  ['            timeout: 86400\n', '', /has no timeout/],
  [/\n *cancelation:.*/, '', /is not notified/],
  ['notifyPeriodInSeconds: 30', 'notifyPeriodInSeconds: 5', /no notify period of 30/],
  ['attr.worker.tag.autodesk_3dsmax', 'attr.worker.tag.max', /unknown tag max/],
  ["anyOf: ['true']", "anyOf: ['yes']", /does not require autodesk_3dsmax to be true/],
  ['report `autodesk_3dsmax`', 'report it', /does not name the tag autodesk_3dsmax/],
  ['usagepool.arnold', 'usagepool.arnold_licences', /unknown pool arnold_licences/],
  ['is `arnold`', 'exists', /does not name the pool arnold/],
  ['Autodesk/3ds Max */3dsmaxcmd.exe', '3ds Max/3dsmaxcmd.exe', /does not look for autodesk_3dsmax in C:/],
  ['attr.worker.tag.autodesk_3dsmax', 'attr.worker.tag.gaffer', /does not look for gaffer in \$GAFFER_ROOT/],
  [/ *hostRequirements:\n.*\n.*\n/, '', /has no host requirements/],
  ['attr.worker.tag.autodesk_3dsmax', 'attr.worker.tag.python3', /which all workers have/],
];

const CODE: readonly Mutant[] = [
  ['{{ repr_py(string(Param.Scene)) }}', '"{{Param.Scene}}"', /\{\{Param.Scene\}\} is not within repr_py/],
  ['{{ repr_py(string(Param.Scene)) }}', '{{ repr_sh(Param.Scene) }}', /not within repr_py/],
  [
    '{{ repr_py(string(Param.Scene)) }}',
    '"{{ repr_py(string(Param.Scene)) }}"',
    /structure|does not compile/,
  ],
  ['{{ repr_py(string(Param.Scene)) }}', '{{ repr_py(Param.Scene) + "" }}', /not within repr_py/],
  ['{{ repr_py(string(Param.Scene)) }}', "'{{ repr_py(string(Param.Scene))[1:-1] }}'", /not within repr_py/],
  ['print(scene, places)', 'os.system("ls " + scene)', /runs a text as code: os.system/],
  ['print(scene, places)', 'call(scene, shell=True)', /runs a text as code: shell=True/],
  ['print(scene, places)', 'print(', /does not compile/],
  ['filename: render.py', 'filename: render.sh', /not a file of Python/],
  ['filename: render.py', 'filename: callsheet_watch.py', /differs from presets\/kit/],
  ['command: python3', 'command: /bin/bash', /is a shell/],
  ['command: python3', "command: '{{Param.Scene}}'", /depends on a value/],
  ["'-u', '{{Task", "'-c', '{{Task", /runs a text as code: -c/],
  ["'{{Task.File.Render}}'", "'--file={{Task.File.Render}}'", /joins a value with other text/],
  ["name: '{{RawParam.Scene[:100]}}'", "name: '{{RawParam.Scen}}'", /Undefined variable/],
  ["name: '{{RawParam.Scene[:100]}}'", "name: '{{RawParam.Scene}}'", /name: must not have more than 128/],
];

test('a preset that keeps the rules has no problems', (t) => {
  t.strictSame(problemsOf(PRESET), []);
  t.end();
});

for (const [rules, mutants] of Object.entries({ members: MEMBERS, form: FORM, work: WORK, code: CODE })) {
  test(`each rule about ${rules} finds a preset that breaks it`, (t) => {
    for (const [from, to, problem] of mutants) {
      const text = PRESET.replace(from, () => to);
      t.not(text, PRESET, `${String(from)} is in the preset`);
      t.match(problemsOf(text).join('\n'), problem, `${String(from)} -> ${to.slice(0, 60)}`);
    }
    t.end();
  });
}

test('the checker of rendered files compares values', (t) => {
  const file = { file: 'a.py', plain: "a = 'x'", hostile: 'a = "it\'s"' };
  t.strictSame(pythonProblems([{ ...file, pieces: [{ code: '"it\'s"', value: '"it\'s"' }] }]), []);
  t.match(pythonProblems([{ ...file, pieces: [{ code: '"its"', value: '"it\'s"' }] }]).join(), /is not/);
  t.match(pythonProblems([{ ...file, hostile: 'a = f(x)', pieces: [] }]).join(), /another structure/);
  t.end();
});
