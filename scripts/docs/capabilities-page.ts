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
  return `| ${code(tag)} | ${title} | ${how}${needsDockerSocket ? ', with a socket that the worker can access' : ''} |`;
}

/** Returns the text of docs/capabilities.md: the capabilities that workers report, and the table of detected applications. */
export function capabilitiesPage(): string {
  return [
    '# Capabilities',
    '',
    '<!-- Made by `npm run generate` from src/core/applications. Do not edit by hand. -->',
    '',
    'A worker reports its capabilities when it registers, and a step lists its needs in `hostRequirements`. A task runs only on a worker',
    'that meets all requirements of its step; [explain](explain.md) lists the requirements that exclude workers from a task.',
    '`GET /api/v1/workers/{id}` returns the capabilities of a worker.',
    '',
    '## Amounts',
    '',
    '| Amount | Unit | Source | Key that replaces it |',
    '| --- | --- | --- | --- |',
    '| `amount.worker.vcpu` | logical CPUs | the CPUs that the process may use | `worker.cpus` |',
    '| `amount.worker.memory` | MiB | the memory of the machine | `worker.memory_mib` |',
    '| `amount.worker.gpu` | GPUs | `nvidia-smi`, if it is on the PATH | `worker.gpus` |',
    '| `amount.worker.gpu.memory` | MiB | the GPU with the least memory | |',
    '| `amount.worker.disk.scratch` | GiB, rounded down | the size of the file system that holds `worker.dir` | |',
    '| any other, such as `amount.scene.cache` | that of the operator | | `worker.amounts` |',
    '',
    'The control groups (version 1 or 2) of the worker limit CPUs and memory: a worker in a container, or in a unit with `MemoryMax=` or',
    '`CPUQuota=`, does not offer the resources of the whole host. A quota of two and a half CPUs counts as two.',
    '',
    'Cores are reserved: tasks on a worker never reserve more than it has. By default every other amount is only compared, not reserved: two tasks that',
    'require one GPU each can run at the same time on a worker with one GPU. If the tasks of a step need the GPU exclusively, require all cores',
    '(by omitting `amount.worker.vcpu`), or a slot of a usage pool. A farm can also [book amounts](policy.md#booked-amounts) like cores.',
    '',
    '`nvidia-smi` has 15 seconds to answer. If it fails or does not answer, the worker logs a warning and offers no GPU. With `worker.gpus=0` it',
    'is not run. With another number the worker offers that many GPUs, regardless of the answer.',
    '',
    '## Attributes',
    '',
    '| Attribute | Values |',
    '| --- | --- |',
    '| `attr.worker.os.family` | `linux`, `macos`, `windows` |',
    '| `attr.worker.os.version` | `ID-VERSION_ID` of os-release(5), `.` written as `_`: `debian-12`, `ubuntu-22_04`; elsewhere family and release, `windows-10_0_22631` |',
    '| `attr.worker.cpu.arch` | `x86_64`, `arm64` |',
    '| `attr.worker.computelocation` | `worker.compute_location` |',
    '| `svc:attr.worker.extension.<name>` | `true` for each extension of OpenJD that needs a worker of this version: `feature_bundle_1`, `wrap_actions`. The service adds the requirement to the steps that need it |',
    '| `attr.worker.tag.<tag>` | `worker.tags`, and `true` for each detected application of the table below |',
    '',
    '## Detected applications',
    '',
    'A worker looks for these at its start, at a registration more than a minute after the last check, and on `SIGHUP`. It reports changes to the',
    'service while tasks continue. The check reads only file names and runs no program. A program on the PATH counts if its account can run it.',
    'In a path `*` stands for any part of a name. The version is not detected: add a tag for it (`worker.tags`: `blender_version=v4_2`).',
    '',
    'A configured tag takes precedence over a detected one: `docker=false` hides Docker from steps that ask for `true`.',
    '`worker.detect_applications=false` disables the detection.',
    '',
    '| Tag | Application | Found by |',
    '| --- | --- | --- |',
    ...KNOWN_APPLICATIONS.map(rowOf),
    '',
    'Docker counts if its engine is reachable: at `DOCKER_HOST` if that is set (a socket must be writable, a remote engine is not checked), else at',
    '`/var/run/docker.sock` or the socket of a rootless engine under `XDG_RUNTIME_DIR`. Podman and Apptainer need no engine. With',
    "[isolation](configuration.md) the check applies to the worker's own account, not to the account that a task runs as.",
    '',
  ].join('\n');
}
