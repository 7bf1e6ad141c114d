/** OpenJD names of the systems for which install directories are listed here. */
export type InstallSystem = 'linux' | 'macos' | 'windows';

/**
 * An application that a worker looks for (docs/contract/openjd.md#host-requirements). One match of any kind is enough.
 */
export interface KnownApplication {
  /** A worker that has the application reports `attr.worker.tag.<tag>` as `true`. */
  readonly tag: string;
  readonly title: string;
  /** Names of programs on the PATH, without `.exe`. */
  readonly programs: readonly string[];
  /** Install directories outside of the PATH. A `*` matches any part of one name. */
  readonly places?: Readonly<Partial<Record<InstallSystem, readonly string[]>>>;
  /** Environment variables of the worker that hold the path of an installation. */
  readonly variables?: readonly string[];
  /** Set if an installation is not enough: the worker's account must also be able to connect to the engine's socket. */
  readonly needsDockerSocket?: true;
}

/** Applications that workers look for, in the order of the tags. Detection runs no programs. */
export const KNOWN_APPLICATIONS: readonly KnownApplication[] = [
  {
    tag: 'aftereffects',
    title: 'Adobe After Effects',
    programs: ['aerender'],
    places: {
      macos: ['/Applications/Adobe After Effects */aerender'],
      windows: ['C:/Program Files/Adobe/Adobe After Effects */Support Files/aerender.exe'],
    },
  },
  { tag: 'apptainer', title: 'Apptainer or Singularity', programs: ['apptainer', 'singularity'] },
  { tag: 'arnold', title: 'Arnold (kick)', programs: ['kick'] },
  {
    tag: 'autodesk_3dsmax',
    title: 'Autodesk 3ds Max',
    programs: ['3dsmaxbatch', '3dsmaxcmd'],
    places: { windows: ['C:/Program Files/Autodesk/3ds Max */3dsmax.exe'] },
  },
  {
    tag: 'blender',
    title: 'Blender',
    programs: ['blender'],
    places: {
      linux: ['/opt/blender*/blender', '/usr/local/blender*/blender', '/snap/bin/blender'],
      macos: ['/Applications/Blender*.app/Contents/MacOS/Blender'],
      windows: ['C:/Program Files/Blender Foundation/Blender */blender.exe'],
    },
  },
  {
    tag: 'cinema4d',
    title: 'Maxon Cinema 4D',
    programs: [],
    places: {
      linux: ['/opt/maxon/cinema4dr*/bin/Commandline'],
      macos: ['/Applications/Maxon Cinema 4D *'],
      windows: ['C:/Program Files/Maxon Cinema 4D */Commandline.exe'],
    },
  },
  { tag: 'colmap', title: 'COLMAP', programs: ['colmap'] },
  {
    tag: 'conda',
    title: 'conda, mamba or micromamba',
    programs: ['conda', 'mamba', 'micromamba'],
    places: { linux: ['/opt/conda/bin/conda', '/opt/miniconda*/bin/conda', '/opt/miniforge*/bin/conda'] },
    variables: ['CONDA_EXE', 'MAMBA_EXE'],
  },
  { tag: 'docker', title: 'Docker', programs: ['docker'], needsDockerSocket: true },
  { tag: 'ffmpeg', title: 'FFmpeg', programs: ['ffmpeg'] },
  {
    tag: 'fusion',
    title: 'Blackmagic Fusion Render Node',
    programs: ['FusionRenderNode'],
    places: {
      linux: ['/opt/BlackmagicDesign/FusionRenderNode*/FusionRenderNode'],
      macos: [
        '/Applications/Blackmagic Fusion * Render Node/Fusion Render Node.app/Contents/MacOS/Fusion Render Node',
      ],
      windows: ['C:/Program Files/Blackmagic Design/Fusion Render Node */FusionRenderNode.exe'],
    },
  },
  {
    tag: 'gaffer',
    title: 'Gaffer',
    programs: ['gaffer'],
    places: { linux: ['/opt/gaffer*/bin/gaffer'], macos: ['/Applications/gaffer*/bin/gaffer'] },
    variables: ['GAFFER_ROOT'],
  },
  { tag: 'git', title: 'Git', programs: ['git'] },
  { tag: 'git_lfs', title: 'Git LFS', programs: ['git-lfs'] },
  {
    tag: 'houdini',
    title: 'SideFX Houdini',
    programs: ['hython', 'hbatch'],
    places: {
      linux: ['/opt/hfs*/bin/hython'],
      macos: [
        '/Applications/Houdini/Houdini*/Frameworks/Houdini.framework/Versions/Current/Resources/bin/hython',
      ],
      windows: ['C:/Program Files/Side Effects Software/Houdini *.*/bin/hython.exe'],
    },
    variables: ['HFS'],
  },
  {
    tag: 'husk',
    title: 'SideFX Karma and Hydra renderer (husk)',
    programs: ['husk'],
    places: {
      linux: ['/opt/hfs*/bin/husk'],
      macos: [
        '/Applications/Houdini/Houdini*/Frameworks/Houdini.framework/Versions/Current/Resources/bin/husk',
      ],
      windows: ['C:/Program Files/Side Effects Software/Houdini *.*/bin/husk.exe'],
    },
  },
  { tag: 'imagemagick', title: 'ImageMagick', programs: ['magick', 'mogrify'] },
  {
    tag: 'katana',
    title: 'Foundry Katana',
    programs: ['katana'],
    places: {
      linux: ['/opt/Katana*/katana', '/opt/foundry/katana*/katana'],
      windows: ['C:/Program Files/Katana*/bin/katanaBin.exe'],
    },
  },
  {
    tag: 'keyshot',
    title: 'KeyShot (headless)',
    programs: ['keyshot_headless'],
    places: {
      linux: ['/opt/keyshot*/bin/keyshot_headless'],
      macos: ['/Applications/KeyShot*.app/Contents/MacOS/keyshot_headless'],
      windows: [
        'C:/Program Files/KeyShot*/bin/keyshot_headless.exe',
        'C:/Users/*/AppData/Local/KeyShot*/bin/keyshot_headless.exe',
      ],
    },
  },
  { tag: 'maketx', title: 'OpenImageIO maketx', programs: ['maketx'] },
  {
    tag: 'maya',
    title: 'Autodesk Maya',
    programs: ['maya', 'mayapy'],
    places: {
      linux: ['/usr/autodesk/maya*/bin/maya'],
      macos: ['/Applications/Autodesk/maya*/Maya.app/Contents/bin/maya'],
      windows: ['C:/Program Files/Autodesk/Maya*/bin/maya.exe'],
    },
    variables: ['MAYA_LOCATION'],
  },
  {
    tag: 'natron',
    title: 'Natron',
    programs: ['Natron', 'NatronRenderer'],
    places: {
      linux: ['/opt/Natron*/NatronRenderer'],
      windows: ['C:/Program Files/INRIA/Natron*/bin/Natron.exe'],
    },
  },
  {
    tag: 'nuke',
    title: 'Foundry Nuke',
    programs: ['nuke', 'Nuke'],
    places: {
      linux: ['/usr/local/Nuke*/Nuke*.*', '/opt/Nuke*/Nuke*.*'],
      macos: ['/Applications/Nuke*/Nuke*.app'],
      windows: ['C:/Program Files/Nuke*/Nuke*.exe'],
    },
  },
  { tag: 'oidn', title: 'Open Image Denoise', programs: ['oidnDenoise'] },
  { tag: 'oiiotool', title: 'OpenImageIO', programs: ['oiiotool'] },
  { tag: 'podman', title: 'Podman', programs: ['podman'] },
  { tag: 'povray', title: 'POV-Ray', programs: ['povray'] },
  { tag: 'python3', title: 'Python 3', programs: ['python3'] },
  {
    tag: 'redshift',
    title: 'Redshift',
    programs: ['redshiftCmdLine'],
    places: {
      linux: ['/usr/redshift/bin/redshiftCmdLine'],
      macos: ['/Applications/redshift/bin/redshiftCmdLine'],
      windows: ['C:/ProgramData/Redshift/bin/redshiftCmdLine.exe'],
    },
    variables: ['REDSHIFT_COREDATAPATH'],
  },
  {
    tag: 'renderman',
    title: 'Pixar RenderMan',
    programs: ['prman'],
    places: {
      linux: ['/opt/pixar/RenderManProServer-*/bin/prman'],
      macos: ['/Applications/Pixar/RenderManProServer-*/bin/prman'],
      windows: ['C:/Program Files/Pixar/RenderManProServer-*/bin/prman.exe'],
    },
    variables: ['RMANTREE'],
  },
  {
    tag: 'resolve',
    title: 'DaVinci Resolve',
    programs: [],
    places: {
      linux: ['/opt/resolve/bin/resolve'],
      macos: ['/Applications/DaVinci Resolve/DaVinci Resolve.app'],
      windows: ['C:/Program Files/Blackmagic Design/DaVinci Resolve/Resolve.exe'],
    },
  },
  { tag: 'rez', title: 'Rez', programs: ['rez-env'] },
  {
    tag: 'unreal',
    title: 'Unreal Engine',
    programs: ['UnrealEditor', 'UnrealEditor-Cmd'],
    places: {
      linux: ['/opt/UnrealEngine*/Engine/Binaries/Linux/UnrealEditor'],
      macos: ['/Users/*/Epic Games/UE_*/Engine/Binaries/Mac/UnrealEditor.app'],
      windows: ['C:/Program Files/Epic Games/UE_*/Engine/Binaries/Win64/UnrealEditor-Cmd.exe'],
    },
  },
  { tag: 'usd', title: 'OpenUSD', programs: ['usdcat', 'usdrecord'] },
  {
    tag: 'vray',
    title: 'Chaos V-Ray Standalone',
    programs: ['vray'],
    places: {
      linux: ['/usr/ChaosGroup/V-Ray/*/bin/vray', '/usr/Chaos/V-Ray/*/bin/vray'],
      windows: [
        'C:/Program Files/Chaos/V-Ray/*/bin/vray.exe',
        'C:/Program Files/Chaos Group/V-Ray/*/bin/vray.exe',
      ],
    },
  },
];

/**
 * Returns the tags of a worker: the configured ones, and `true` for each detected application that has no configured
 * tag. Names are compared case-insensitively.
 */
export function tagsWith(
  configured: Readonly<Record<string, string>>,
  found: readonly string[],
): Readonly<Record<string, string>> {
  const said = new Set(Object.keys(configured).map((name) => name.toLowerCase()));
  const more = found.filter((tag) => !said.has(tag)).map((tag): [string, string] => [tag, 'true']);
  return Object.fromEntries([...Object.entries(configured), ...more]);
}
