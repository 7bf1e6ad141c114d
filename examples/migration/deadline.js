/**
 * Converts a job of Deadline 10, as a job info file and a plug-in info file, for Callsheet (docs/migrate-deadline.md):
 *
 *   node deadline.js JOB_INFO PLUGIN_INFO [--output FOLDER] [--no-tags] [--no-pools]
 *
 * Jobs of Blender, Maya, Nuke and Houdini become values of a preset, `values.json`. Jobs of CommandLine become a product with the values as
 * defaults, `product.yaml`. Variables become `environment.yaml`. Prints the command that submits the job, and on standard error everything
 * that has no counterpart. Needs Node.js and no packages.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * Reads the lines `key=value` of an info file, in UTF-8 or in UTF-16 with a byte order mark, as submitters write it.
 *
 * @param {Buffer} bytes
 * @returns {Map<string, string>} values by key in lower case
 */
export function readInfo(bytes) {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
  const values = new Map();
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf('=');
    if (at > 0) values.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  return values;
}

/** Returns a frame list of Deadline, such as `1-10x2,20`, as a range of OpenJD, `1-10:2,20`. Throws if it is not valid. */
export function openjdRange(frames) {
  const parts = frames.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) throw new Error('Frames is empty');
  const converted = parts.map((part) => {
    const match = /^(-?\d+)(?:-(-?\d+)(?:(?:x|step|by|every)(\d+))?)?$/i.exec(part);
    if (match === null) throw new Error(`Frames: “${part}” is not a frame or a range`);
    const [, first, last, step] = match;
    if (last === undefined) return first;
    const isDown = Number(last) < Number(first);
    return `${first}-${last}${step === undefined && !isDown ? '' : `:${isDown ? '-' : ''}${step ?? 1}`}`;
  });
  return converted.join(',');
}

const yes = (value) => /^(true|1|yes)$/i.test(value ?? '');
const isSet = (value) => value !== undefined && value !== '' && !/^none$/i.test(value);

/** Maps keys of a plug-in info file to parameters of a preset. */
const PRESETS = {
  blender: {
    preset: 'blender/render',
    keys: { scenefile: 'Scene', outputfile: 'Output' },
    ignored: ['threads', 'build', 'version'],
  },
  nuke: {
    preset: 'nuke/render',
    keys: { scenefile: 'Scene', writenode: 'WriteNode', views: 'Views' },
    switches: { proxymode: 'Proxy', continueonerror: 'ContinueOnError' },
    ignored: ['version', 'threads', 'ramuse', 'batchmode', 'build', 'nukex'],
    outputFolder: true,
  },
  mayabatch: {
    preset: 'maya/render',
    keys: {
      scenefile: 'Scene',
      projectpath: 'Project',
      outputfilepath: 'OutputDir',
      outputfileprefix: 'Prefix',
      camera: 'Camera',
      renderlayer: 'RenderLayer',
      imagewidth: 'Width',
      imageheight: 'Height',
    },
    ignored: ['version', 'build', 'renderer', 'usingrenderlayers'],
    outputFolder: true,
  },
  houdini: {
    preset: 'houdini/rop',
    keys: { scenefile: 'Scene', outputdriver: 'Node' },
    switches: { ignoreinputs: 'IgnoreInputs' },
    ignored: ['version', 'build'],
    outputFolder: true,
  },
};
PRESETS.mayacmd = PRESETS.mayabatch;

/** Keys of a job info file that this script converts, or that have no meaning outside of Deadline. */
const JOB_KEYS = new Set(
  `plugin name username frames chunksize priority pool group limitgroups initialstatus scheduledtype scheduledstartdatetime
  failuredetectionjoberrors failuredetectiontaskerrors overridejobfailuredetection overridetaskfailuredetection
  tasktimeoutseconds tasktimeoutminutes machinename overridetaskextrainfonames`.split(/\s+/),
);

/** Values that mean that a key is not used. */
const isDefault = (key, value) =>
  !isSet(value) ||
  /^(false|nothing|0)$/i.test(value) ||
  (key === 'concurrenttasks' && value === '1') ||
  (key === 'limitconcurrenttaskstonumberofcpus' && yes(value)) ||
  (key === 'forcereloadplugin' && yes(value));

/** How a key without a counterpart is replaced. */
const ADVICE = {
  secondarypool: 'workers serve several queues: list them in worker.queues',
  machinelimit:
    'the job has a cap of as many tasks as these machines run at the same time, on any number of workers',
  whitelist: 'give the workers a tag, and require it in the template',
  allowlist: 'give the workers a tag, and require it in the template',
  blacklist: 'disable the workers, or require a tag that they lack',
  denylist: 'disable the workers, or require a tag that they lack',
  jobdependencies: 'submit the jobs in order, each with --depends-on JOB',
  concurrenttasks: 'tasks share a worker by cores: amount.worker.vcpu of the template',
  onjobcomplete: 'set scheduler.job_retention, which deletes ended jobs',
  batchname: 'use --project to group jobs',
  department: 'use --project to group jobs',
};

/** Returns options of `callsheet submit` for a job info file. */
function submitOptions(job) {
  const options = [];
  const add = (flag, value) => {
    if (isSet(value)) options.push(flag, value);
  };
  add('--name', job.get('name'));
  add('--owner', job.get('username'));
  add('--queue', job.get('pool'));
  add('--priority', job.get('priority'));
  if (yes(job.get('overridetaskfailuredetection')))
    add('--max-attempts', job.get('failuredetectiontaskerrors'));
  if (yes(job.get('overridejobfailuredetection')))
    add('--failure-limit', job.get('failuredetectionjoberrors'));
  const machines = Number(job.get('machinelimit') ?? 0);
  if (machines > 0) add('--max-concurrent-tasks', String(machines * Number(job.get('concurrenttasks') ?? 1)));
  if (/^suspended$/i.test(job.get('initialstatus') ?? '')) options.push('--paused');
  const date = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}:\d{2})$/.exec(job.get('scheduledstartdatetime') ?? '');
  if (isSet(job.get('scheduledtype')) && date !== null)
    options.push('--start-after', `${date[3]}-${date[2]}-${date[1]}T${date[4]}`);
  return options;
}

/** Returns the variables of the job, which Deadline sets for each task. */
const variablesOf = (job) =>
  Object.fromEntries(
    [...job]
      .filter(([key, value]) => /^environmentkeyvalue\d+$/.test(key) && value.includes('='))
      .map(([, value]) => [value.slice(0, value.indexOf('=')), value.slice(value.indexOf('=') + 1)]),
  );

function presetSubmission(known, job, plugin, notes) {
  const { preset, keys, switches = {}, ignored, outputFolder = false } = known;
  const values = {};
  for (const [key, value] of plugin) {
    if (!isSet(value)) continue;
    if (keys[key] !== undefined) values[keys[key]] = value;
    else if (switches[key] !== undefined) values[switches[key]] = String(yes(value));
    else if (!ignored.includes(key) && !isDefault(key, value))
      notes.push(`plug-in key ${key}=${value}: ${preset} has no such parameter`);
  }
  if (values.Scene === undefined)
    notes.push('the plug-in info has no SceneFile: add it to values.json as Scene');
  const folder = job.get('outputdirectory0');
  const name = job.get('outputfilename0');
  if (outputFolder && values.OutputDir === undefined && isSet(folder)) values.OutputDir = folder;
  if (preset === 'blender/render' && values.Output === undefined && isSet(folder))
    values.Output = isSet(name) ? `${folder.replace(/[\\/]$/, '')}/${name}` : folder;
  if (outputFolder && values.OutputDir === undefined)
    notes.push('add the folder of the pictures to values.json as OutputDir');
  for (const key of ['group', 'limitgroups'])
    if (isSet(job.get(key)))
      notes.push(
        `${key}=${job.get(key)}: ${preset} has its own tags and pools; save a copy of the preset to require others`,
      );
  if (Number(job.get('tasktimeoutseconds') ?? 0) > 0 || Number(job.get('tasktimeoutminutes') ?? 0) > 0)
    notes.push(`the time limit of tasks: save a copy of ${preset}, and set the timeout of onRun`);
  return {
    product: preset,
    values: {
      ...values,
      Frames: openjdRange(job.get('frames') ?? '0'),
      FramesPerTask: job.get('chunksize') || '1',
    },
  };
}

const KEYWORD = /<(STARTFRAME|ENDFRAME|QUOTE|AUXFILE)(?:%?(\d+))?>/gi;

/** Returns the arguments of a command line with references of OpenJD for keywords of Deadline. */
function withReferences(text, notes) {
  return text.replaceAll('{{', '{ {').replaceAll(KEYWORD, (keyword, name, digits) => {
    const side = { startframe: 'Start', endframe: 'End' }[name.toLowerCase()];
    if (side !== undefined)
      return digits === undefined
        ? `{{Task.Param.Frame.${side}}}`
        : `$(printf '%0${digits}d' {{Task.Param.Frame.${side}}})`;
    if (/^quote$/i.test(name)) return '"';
    notes.push(`${keyword}: files are not copied with the job; write a path that the workers reach`);
    return keyword;
  });
}

const poolOf = (limit) =>
  limit
    .trim()
    .replaceAll(/\W/g, '_')
    .replace(/^(?=\d)/, '_');

/** Returns a product that runs the command of a CommandLine job. */
function commandProduct(job, plugin, { hasTags, hasPools }, notes) {
  const group = job.get('group');
  const limits = hasPools ? (job.get('limitgroups') ?? '').split(',').filter(isSet) : [];
  const seconds =
    Number(job.get('tasktimeoutseconds') || 0) || Number(job.get('tasktimeoutminutes') || 0) * 60;
  const folder = plugin.get('startupdirectory');
  const executable = plugin.get('executable') ?? '';
  if (executable === '') throw new Error('the plug-in info has no Executable');
  const name = job.get('name') || 'command';
  const command = `"${withReferences(executable, notes)}" ${withReferences(plugin.get('arguments') ?? '', notes)}`;
  const onRun = {
    command: 'bash',
    args: ['-euo', 'pipefail', '{{Task.File.Command}}'],
    ...(seconds > 0 && { timeout: seconds }),
  };
  const amounts = [
    { name: 'amount.worker.vcpu', min: 1 },
    ...limits.map((limit) => ({ name: `amount.worker.usagepool.${poolOf(limit)}`, min: 1 })),
  ];
  const attributes =
    hasTags && isSet(group)
      ? [{ name: `attr.worker.tag.${group.toLowerCase().replaceAll(/\W/g, '_')}`, anyOf: ['true'] }]
      : [];
  const frame = {
    name: 'Frame',
    type: 'CHUNK[INT]',
    range: '{{Param.Frames}}',
    chunks: { defaultTaskCount: '{{Param.FramesPerTask}}', rangeConstraint: 'CONTIGUOUS' },
  };
  const template = {
    specificationVersion: 'jobtemplate-2023-09',
    extensions: ['EXPR', 'TASK_CHUNKING', 'SVC_CHUNK_BOUNDS'],
    name: name.replaceAll('{{', '{ {').slice(0, 128),
    parameterDefinitions: [
      { name: 'Frames', type: 'RANGE_EXPR', default: openjdRange(job.get('frames') ?? '0') },
      { name: 'FramesPerTask', type: 'INT', minValue: 1, default: Number(job.get('chunksize') || 1) },
    ],
    steps: [
      {
        name: 'Run',
        parameterSpace: { taskParameterDefinitions: [frame] },
        hostRequirements: { amounts, ...(attributes.length > 0 && { attributes }) },
        script: {
          actions: { onRun },
          embeddedFiles: [
            {
              name: 'Command',
              type: 'TEXT',
              filename: 'command.sh',
              data: `${isSet(folder) ? `cd '${folder.replaceAll("'", "'\\''")}'\n` : ''}${command.trim()}\n`,
            },
          ],
        },
      },
    ],
  };
  const product =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 60) || 'command';
  return { name: product, title: name.slice(0, 100), description: 'Converted from Deadline.', template };
}

const shellWord = (word) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/**
 * Converts a job.
 *
 * @param {Map<string, string>} job values of the job info file
 * @param {Map<string, string>} plugin values of the plug-in info file
 * @param {{ hasTags?: boolean, hasPools?: boolean }} [options] hasTags: groups become tags; hasPools: limits become usage pools
 * @returns {{ files: Record<string, unknown>, commands: string[][], notes: string[] }} contents of files by name, commands to run, and what
 *   has no counterpart
 */
export function convert(job, plugin, { hasTags = true, hasPools = true } = {}) {
  const notes = [];
  const name = job.get('plugin')?.toLowerCase() ?? '';
  const files = {};
  const commands = [];
  const submit = ['callsheet', 'submit'];
  const known = PRESETS[name];
  if (known !== undefined) {
    const { product, values } = presetSubmission(known, job, plugin, notes);
    files['values.json'] = values;
    commands.push(['callsheet', 'presets', 'install', product]);
    submit.push('--product', product, '--param-file', 'values.json');
  } else if (name === 'commandline') {
    const product = commandProduct(job, plugin, { hasTags, hasPools }, notes);
    files['product.yaml'] = product;
    commands.push(['callsheet', 'products', 'apply', 'product.yaml']);
    submit.push('--product', product.name);
  } else {
    throw new Error(
      `no conversion for the plug-in ${job.get('plugin') ?? '(none)'}: write a product (docs/presets.md), or convert a job of ` +
        `CommandLine, ${Object.keys(PRESETS).join(', ')}`,
    );
  }
  const variables = variablesOf(job);
  if (Object.keys(variables).length > 0) {
    files['environment.yaml'] = {
      specificationVersion: 'environment-2023-09',
      environment: { name: 'Deadline', variables },
    };
    submit.push('--environment', 'environment.yaml');
  }
  commands.push([...submit, ...submitOptions(job)]);
  for (const [key, value] of job) {
    const isConverted =
      JOB_KEYS.has(key) || /^(environmentkeyvalue|outputdirectory|outputfilename|extrainfo)/.test(key);
    if (isConverted || isDefault(key, value)) continue;
    notes.push(`${key}=${value}: ${ADVICE[key] ?? 'has no counterpart'}`);
  }
  return { files, commands, notes };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      output: { type: 'string', default: '.' },
      'no-tags': { type: 'boolean', default: false },
      'no-pools': { type: 'boolean', default: false },
    },
  });
  try {
    if (positionals.length !== 2)
      throw new Error('usage: node deadline.js JOB_INFO PLUGIN_INFO [--output FOLDER]');
    const [job, plugin] = positionals.map((path) => readInfo(readFileSync(path)));
    const options = { hasTags: !values['no-tags'], hasPools: !values['no-pools'] };
    const { files, commands, notes } = convert(job, plugin, options);
    mkdirSync(values.output, { recursive: true });
    // JSON is YAML, too.
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(values.output, name), `${JSON.stringify(content, null, 2)}\n`);
    for (const command of commands) console.log(command.map(shellWord).join(' '));
    for (const note of notes) console.error(`note: ${note}`);
  } catch (error) {
    console.error(`deadline.js: ${error.message}`);
    process.exitCode = 1;
  }
}
