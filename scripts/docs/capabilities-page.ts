import { KNOWN_APPLICATIONS, type KnownApplication } from '../../src/core/applications/known-applications.ts';

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

function rowOf(application: KnownApplication): string {
  const { tag, title, programs, places = {}, variables = [], needsDockerSocket } = application;
  const ways = [
    ...(programs.length === 0 ? [] : [`${programs.map(code).join(', ')} on the PATH`]),
    ...Object.values(places).map((paths) => paths.map(code).join(', ')),
    ...(variables.length === 0 ? [] : [`the variable ${variables.map(code).join(' or ')}`]),
  ];
  const how = ways.join('; ');
  return `| ${code(tag)} | ${title} | ${how}${needsDockerSocket ? ', and a socket that the worker may use' : ''} |`;
}

/** The text of docs/capabilities.md: what workers say of themselves, and the table of what they look for. */
export function capabilitiesPage(): string {
  return [
    '# Capabilities',
    '',
    '<!-- Made by `npm run generate` from src/core/applications. Do not edit by hand. -->',
    '',
    'A worker says what it has when it registers, and a step says in its `hostRequirements` what it needs. A task runs on a worker',
    'that has everything its step asks for; [explain](explain.md) says which requirement keeps which workers from a task.',
    '`GET /api/v1/workers/{id}` shows what a worker has said.',
    '',
    '## Amounts',
    '',
    '| Amount | Unit | Where it comes from | Key that replaces it |',
    '| --- | --- | --- | --- |',
    '| `amount.worker.vcpu` | logical CPUs | those that the process may use | `worker.cpus` |',
    '| `amount.worker.memory` | MiB | the memory of the machine | `worker.memory_mib` |',
    '| `amount.worker.gpu` | GPUs | `nvidia-smi`, where it is on the PATH | `worker.gpus` |',
    '| `amount.worker.gpu.memory` | MiB | the GPU that has the least | |',
    '| `amount.worker.disk.scratch` | GiB, rounded down | the size of the file system that holds `worker.dir` | |',
    '',
    'CPUs and memory are no more than the control groups (version 1 or 2) of the worker leave it: a worker in a container, or in a unit with',
    '`MemoryMax=` or `CPUQuota=`, does not offer what belongs to the host. A quota of two and a half CPUs is two.',
    '',
    'Cores are booked: tasks on a worker never reserve more than it has. Every other amount is a property that a worker has or has not: two',
    'tasks that ask for one GPU each may run side by side on a worker with one GPU. A step whose tasks must have the GPU for themselves',
    'asks for all cores (by naming no `amount.worker.vcpu`), or for a slot of a usage pool.',
    '',
    '`nvidia-smi` has 15 seconds to answer. One that fails or does not answer is a warning in the log, and the worker offers no GPU. With',
    '`worker.gpus=0` it is not asked. With another number that many GPUs are offered whatever it says.',
    '',
    '## Attributes',
    '',
    '| Attribute | Values |',
    '| --- | --- |',
    '| `attr.worker.os.family` | `linux`, `macos`, `windows` |',
    '| `attr.worker.os.version` | `ID-VERSION_ID` of os-release(5), `.` written as `_`: `debian-12`, `ubuntu-22_04`; elsewhere family and release, `windows-10_0_22631` |',
    '| `attr.worker.cpu.arch` | `x86_64`, `arm64` |',
    '| `attr.worker.computelocation` | `worker.compute_location` |',
    '| `attr.worker.tag.<tag>` | `worker.tags`, and `true` for each application of the table below that is found |',
    '',
    '## Applications that are found',
    '',
    'A worker looks for these at its start and, when a minute has passed since, whenever it registers; on `SIGHUP` at once. What has changed is',
    'told to the service while tasks go on. Looking takes names alone: no program is run. A program on the PATH must be one that the',
    "worker's account may run; in a path `*` stands for any part of a name. Which version it is, is not looked at: say it by a tag of your own",
    '(`worker.tags`: `blender_version=v4_2`).',
    '',
    'A tag of the configuration wins over a found one: `docker=false` hides Docker from steps that ask for `true`.',
    '`worker.detect_applications=false` looks for nothing.',
    '',
    '| Tag | Application | Found by |',
    '| --- | --- | --- |',
    ...KNOWN_APPLICATIONS.map(rowOf),
    '',
    'Docker counts when its engine can be reached: `DOCKER_HOST` when that is set (a socket must be writable, another machine is taken at its',
    'word), else `/var/run/docker.sock` or that of a rootless engine under `XDG_RUNTIME_DIR`. Podman and Apptainer need no engine. With',
    "[isolation](configuration.md) it is the worker's own account that is looked at, not the account that a task runs as.",
    '',
  ].join('\n');
}
