/** A typical job: one step, a hundred frames. */
export const SMALL_YAML = `specificationVersion: jobtemplate-2023-09
name: shot 010 lighting
parameterDefinitions:
- name: Scene
  type: STRING
  default: shot_010
steps:
- name: Render
  parameterSpace:
    taskParameterDefinitions:
    - name: Frame
      type: INT
      range: 1-100
  hostRequirements:
    amounts:
    - name: amount.worker.vcpu
      min: 1
  script:
    actions:
      onRun:
        command: render
        args: ['{{Param.Scene}}', '{{Task.Param.Frame}}']
`;

/** The same as JSON. */
export const SMALL_JSON = JSON.stringify({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'shot 010 lighting',
  parameterDefinitions: [{ name: 'Scene', type: 'STRING', default: 'shot_010' }],
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: '1-100' }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: {
        actions: { onRun: { command: 'render', args: ['{{Param.Scene}}', '{{Task.Param.Frame}}'] } },
      },
    },
  ],
});
