/** A mistake in the template of the page: replaced parts of it, and values of parameters for `-p`. */
export interface Mistake {
  readonly title: string;
  readonly edits: readonly (readonly [from: string, to: string])[];
  /** Parameter values, with which the job is made as well. */
  readonly values?: Readonly<Record<string, string>>;
}

interface MistakeGroup {
  readonly title: string;
  readonly mistakes: readonly Mistake[];
}

/** The valid template that each mistake changes. */
export const TEMPLATE = `specificationVersion: jobtemplate-2023-09
name: Shot 010
parameterDefinitions:
  - name: Scene
    type: PATH
  - name: Quality
    type: INT
    default: 3
steps:
  - name: Render
    parameterSpace:
      taskParameterDefinitions:
        - name: Frame
          type: INT
          range: "1-100"
    script:
      actions:
        onRun:
          command: render
          args: ["{{Param.Scene}}", "{{Task.Param.Frame}}"]
  - name: Encode
    dependencies:
      - dependsOn: Render
    script:
      actions:
        onRun:
          command: ffmpeg
`;

const EXTENSIONS = 'name: Shot 010\n';
const FRAME = `        - name: Frame
          type: INT
          range: "1-100"
`;
const CHUNKED = `        - name: Frame
          type: CHUNK[INT]
          range: "1-100"
`;
const CHUNKS = '          chunks: {defaultTaskCount: 10, rangeConstraint: CONTIGUOUS}\n';
const CHUNKING: readonly [string, string] = [EXTENSIONS, `extensions: [TASK_CHUNKING]\n${EXTENSIONS}`];
const DEPENDENCY = `    dependencies:
      - dependsOn: Render
`;
const ENCODE_SCRIPT = `    script:
      actions:
        onRun:
          command: ffmpeg
`;
const requirements = (text: string): readonly [string, string] => [
  '  - name: Encode\n',
  `  - name: Encode\n    hostRequirements:\n      ${text}\n`,
];

export const MISTAKES: readonly MistakeGroup[] = [
  {
    title: 'YAML',
    mistakes: [
      { title: 'A tab in the indentation', edits: [['    type: PATH', '\ttype: PATH']] },
      { title: 'Braces without quotes', edits: [['name: Shot 010', 'name: {{Param.Scene}}']] },
      { title: 'A missing quote', edits: [['range: "1-100"', 'range: "1-100']] },
      { title: 'A missing bracket', edits: [['Frame}}"]', 'Frame}}"']] },
      { title: 'A colon inside text', edits: [['command: ffmpeg', 'command: ffmpeg -metadata title: Shot']] },
      { title: 'No blank after a colon', edits: [['type: PATH', 'type:PATH']] },
      { title: 'Keys of one mapping in different columns', edits: [['    type: PATH', '   type: PATH']] },
      {
        title: 'A Windows path in double quotes',
        edits: [['command: ffmpeg', 'command: "C:\\Tools\\ffmpeg.exe"']],
      },
      { title: 'An asterisk without quotes', edits: [['command: ffmpeg', 'command: *.exr']] },
      { title: 'A key that occurs twice', edits: [['    type: INT\n', '    type: INT\n    type: FLOAT\n']] },
    ],
  },
  {
    title: 'Top level',
    mistakes: [
      { title: 'No version', edits: [['specificationVersion: jobtemplate-2023-09\n', '']] },
      { title: 'An incomplete version', edits: [['jobtemplate-2023-09', '2023-09']] },
      { title: 'A misspelt key', edits: [['parameterDefinitions', 'parameterDefinition']] },
      { title: 'A key in another case', edits: [['parameterDefinitions', 'ParameterDefinitions']] },
      { title: 'A number as name', edits: [['name: Shot 010', 'name: 10']] },
      { title: 'An unknown extension', edits: [[EXTENSIONS, `extensions: [EXPRESSIONS]\n${EXTENSIONS}`]] },
      {
        title: 'A name that is too long',
        edits: [['name: Encode', `name: Encode ${'the images of the shot '.repeat(3)}`]],
      },
    ],
  },
  {
    title: 'Job parameters',
    mistakes: [
      { title: 'A type in lower case', edits: [['type: PATH', 'type: path']] },
      { title: 'A type of another language', edits: [['type: PATH', 'type: str']] },
      { title: 'A type that needs an extension', edits: [['type: PATH', 'type: BOOL']] },
      { title: 'A default of another type', edits: [['default: 3', 'default: high']] },
      {
        title: 'A default outside of the limits',
        edits: [['default: 3', 'default: 3\n    maxValue: 2']],
      },
      { title: 'A number for a text', edits: [['type: INT\n', 'type: STRING\n']] },
      { title: 'A name with a dash', edits: [['name: Quality', 'name: render-quality']] },
      { title: 'A key of another type', edits: [['default: 3', 'default: 3\n    maxLength: 5']] },
      { title: 'A parameter without a value', edits: [], values: {} },
      { title: 'A misspelt parameter in a value', edits: [], values: { Scene: 'a.blend', Qualty: '2' } },
    ],
  },
  {
    title: 'Steps and actions',
    mistakes: [
      { title: 'A step without a script', edits: [[ENCODE_SCRIPT, '']] },
      {
        title: 'A command that is not in an action',
        edits: [[ENCODE_SCRIPT, '    script: {command: ffmpeg}\n']],
      },
      {
        title: 'An action in another case',
        edits: [['onRun:\n          command: ffmpeg', 'onrun:\n          command: ffmpeg']],
      },
      {
        title: 'Arguments in one text',
        edits: [['command: ffmpeg', 'command: ffmpeg\n          args: -i in.exr']],
      },
      {
        title: 'A number as argument',
        edits: [['command: ffmpeg', 'command: ffmpeg\n          args: ["-r", 24]']],
      },
      {
        title: 'A line break in an argument',
        edits: [
          [
            'command: ffmpeg',
            'command: sh\n          args:\n            - -c\n            - |\n              cd /tmp\n              ffmpeg',
          ],
        ],
      },
      {
        title: 'A timeout with a unit',
        edits: [['command: ffmpeg', 'command: ffmpeg\n          timeout: 5m']],
      },
      { title: 'A dependency without its key', edits: [[DEPENDENCY, '    dependencies: [Rendr]\n']] },
      { title: 'A dependency on an unknown step', edits: [['dependsOn: Render', 'dependsOn: Rendering']] },
      {
        title: 'Two steps with one name',
        edits: [
          ['name: Encode', 'name: Render'],
          [DEPENDENCY, ''],
        ],
      },
    ],
  },
  {
    title: 'Task parameters',
    mistakes: [
      { title: 'A range with two dots', edits: [['"1-100"', '"1..100"']] },
      { title: 'A range that is a number', edits: [['"1-100"', '100']] },
      { title: 'A misspelt name in a combination', edits: [[FRAME, `${FRAME}      combination: Frames\n`]] },
      { title: 'Chunks without the extension', edits: [[FRAME, `${CHUNKED}${CHUNKS}`]] },
      { title: 'Chunks of a parameter of type INT', edits: [CHUNKING, [FRAME, `${FRAME}${CHUNKS}`]] },
    ],
  },
  {
    title: 'References',
    mistakes: [
      { title: 'A parameter without its prefix', edits: [['{{Param.Scene}}', '{{Scene}}']] },
      { title: 'A misspelt parameter', edits: [['{{Param.Scene}}', '{{Param.Scnee}}']] },
      {
        title: 'A task parameter outside of its step',
        edits: [['command: ffmpeg', 'command: "ffmpeg {{Task.Param.Frame}}"']],
      },
      { title: 'A path in the name of the job', edits: [['name: Shot 010', 'name: "{{Param.Scene}}"']] },
      { title: 'Braces without an end', edits: [['{{Param.Scene}}', '{{Param.Scene}']] },
      {
        title: 'An expression without the extension',
        edits: [['{{Task.Param.Frame}}', '{{Task.Param.Frame + 1}}']],
      },
    ],
  },
  {
    title: 'Host requirements and environments',
    mistakes: [
      { title: 'An unknown amount', edits: [requirements('amounts: [{name: amount.worker.vcpus, min: 4}]')] },
      {
        title: 'An unknown operating system',
        edits: [requirements('attributes: [{name: attr.worker.os.family, anyOf: [Ubuntu]}]')],
      },
    ],
  },
];
