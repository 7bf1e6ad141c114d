/** A template with every control of OpenJD, for the tests of the form. */
export const SHOWCASE = `specificationVersion: jobtemplate-2023-09
extensions: [EXPR]
name: 'Showcase of {{Param.Line}}'
description: Every control that a parameter may have.
parameterDefinitions:
  - name: Line
    type: STRING
    default: one line
    minLength: 3
    maxLength: 20
    description: From 3 to 20 characters.
    userInterface: { control: LINE_EDIT, label: A line, groupLabel: Text }
  - name: Lines
    type: STRING
    default: |
      two
      lines
    userInterface: { control: MULTILINE_EDIT, label: Some lines, groupLabel: Text }
  - name: Choice
    type: STRING
    default: red
    allowedValues: [red, green, blue]
    userInterface: { control: DROPDOWN_LIST, label: A choice, groupLabel: Text }
  - name: Switch
    type: STRING
    default: 'No'
    allowedValues: ['Yes', 'No']
    userInterface: { control: CHECK_BOX, label: A switch, groupLabel: Text }
  - name: Count
    type: INT
    default: 9223372036854775800
    minValue: 1
    userInterface: { control: SPIN_BOX, label: A count, singleStepDelta: 5 }
  - name: Scale
    type: FLOAT
    default: 0.1
    maxValue: 2
    userInterface: { control: SPIN_BOX, label: A scale, singleStepDelta: 0.2, decimals: 2 }
  - name: Depth
    type: INT
    default: 16
    allowedValues: [8, 16, 32]
    userInterface: { label: A depth }
  - name: Scene
    type: PATH
    objectType: FILE
    dataFlow: IN
    userInterface:
      control: CHOOSE_INPUT_FILE
      label: A scene
      groupLabel: Files
      fileFilters: [{ label: Scenes, patterns: ['*.usd', '*.blend'] }]
  - name: Movie
    type: PATH
    objectType: FILE
    dataFlow: OUT
    default: /tmp/movie.mov
    userInterface: { control: CHOOSE_OUTPUT_FILE, label: A movie, groupLabel: Files }
  - name: Folder
    type: PATH
    objectType: DIRECTORY
    dataFlow: INOUT
    default: /tmp
    userInterface: { control: CHOOSE_DIRECTORY, label: A folder, groupLabel: Files }
  - name: Secret
    type: STRING
    default: unseen
    userInterface: { control: HIDDEN, label: A secret }
  - name: Denoise
    type: BOOL
    default: true
    userInterface: { control: CHECK_BOX, label: Denoise }
  - name: Frames
    type: RANGE_EXPR
    default: 1-10
    userInterface: { control: LINE_EDIT, label: Frames }
  - name: Layers
    type: LIST[STRING]
    default: [beauty, shadow]
    maxLength: 4
    item: { minLength: 2 }
    userInterface: { control: LINE_EDIT_LIST, label: Layers, groupLabel: Lists }
  - name: Sizes
    type: LIST[INT]
    default: [1920, 1080]
    minLength: 2
    item: { minValue: 16 }
    userInterface: { control: SPIN_BOX_LIST, label: Sizes, groupLabel: Lists, singleStepDelta: 8 }
  - name: Weights
    type: LIST[FLOAT]
    default: [0.25]
    userInterface: { control: SPIN_BOX_LIST, label: Weights, groupLabel: Lists, singleStepDelta: 0.05 }
  - name: Passes
    type: LIST[BOOL]
    default: [true, false]
    userInterface: { control: CHECK_BOX_LIST, label: Passes, groupLabel: Lists }
  - name: Textures
    type: LIST[PATH]
    objectType: FILE
    default: [/tmp/a.tx]
    userInterface: { control: CHOOSE_INPUT_FILE_LIST, label: Textures, groupLabel: Lists }
  - name: Outputs
    type: LIST[PATH]
    objectType: FILE
    dataFlow: OUT
    default: []
    userInterface: { control: CHOOSE_OUTPUT_FILE_LIST, label: Outputs, groupLabel: Lists }
  - name: Caches
    type: LIST[PATH]
    objectType: DIRECTORY
    default: [/tmp]
    userInterface: { control: CHOOSE_DIRECTORY_LIST, label: Caches, groupLabel: Lists }
  - name: Tiles
    type: LIST[LIST[INT]]
    default: [[0, 1], [2]]
    userInterface: { label: Tiles }
steps:
  - name: Render
    parameterSpace:
      taskParameterDefinitions:
        - { name: Frame, type: INT, range: '{{Param.Frames}}' }
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
    script:
      actions:
        onRun:
          command: echo
          args: ['frame {{Task.Param.Frame}} of {{RawParam.Scene}}', '{{Param.Secret}}', '{{Param.Count}}']
`;
