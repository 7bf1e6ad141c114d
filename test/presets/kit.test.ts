import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';

const KIT = fileURLToPath(new URL('../../../presets/kit', import.meta.url));

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

async function runPython(directory: string, script: string): Promise<Ran> {
  const child = spawn('python3', ['-u', '-c', script], {
    cwd: directory,
    env: { PATH: process.env['PATH'], PYTHONPATH: KIT, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out };
}

const isOnPath = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

const noFfmpeg = isOnPath('ffmpeg') && isOnPath('ffprobe') ? false : 'ffmpeg and ffprobe are not on the PATH';

test('frame rates of NTSC are exact fractions', async (t) => {
  const rates = '24, 23.976, 23.98, 29.97, 30, 59.94, 119.88, 12.5';
  const { out } = await runPython(
    t.testdir(),
    `from callsheet_movie import rate_of\nprint(*map(rate_of, [${rates}]))`,
  );
  t.equal(out, '24 24000/1001 24000/1001 30000/1001 30 60000/1001 120000/1001 25/2\n');
});

test('a frame without a picture fails, is held or is left out', async (t) => {
  const directory = t.testdir({ 'a.2.png': 'x', 'a.3.png': '', 'a.4.png': 'x' });
  const pictures = async (missing: string): Promise<string> => {
    const script = `from callsheet_movie import real_pictures
print(real_pictures("a.#.png", [1, 2, 3, 4], "${missing}"))`;
    return (await runPython(directory, script)).out;
  };
  t.match(
    await pictures('fail'),
    'openjd_fail: frame 1 is missing: a.1.png does not exist or is empty (missing frames: 2)',
  );
  t.match(await pictures('hold'), "[(1, 'a.2.png'), (2, 'a.2.png'), (3, 'a.2.png'), (4, 'a.4.png')]");
  t.match(await pictures('skip'), "[(2, 'a.2.png'), (4, 'a.4.png')]");
  const none = await runPython(
    t.testdir(),
    'from callsheet_movie import real_pictures\nreal_pictures("b.#.png", [1], "skip")',
  );
  t.match(none.out, 'openjd_fail: no picture exists: the first would be b.1.png');
});

test('bad sizes, endings and names end with a sentence', async (t) => {
  const cases: [call: string, sentence: string][] = [
    ['size_of("1920")', "the fit '1920' is not a width and a height such as 1920x1080"],
    ['size_of("1x1")', 'the fit 1x1 is not from 2 to 16384 pixels a side'],
    ['codec_arguments("h264", 18, "a.webm")', 'h264 cannot be in a file .webm: use .mp4'],
    ['codec_arguments("vp9", 18, "a")', 'vp9 cannot be in a file without an ending: use .webm'],
    ['concat_list("list", [("a\\nb", None)])', "ffmpeg cannot read a list with the name 'a\\nb'"],
  ];
  for (const [call, sentence] of cases) {
    const ran = await runPython(t.testdir(), `from callsheet_movie import *\n${call}`);
    t.equal(ran.code, 1, call);
    t.match(ran.out, `openjd_fail: ${sentence}`, call);
  }
});

test('Blender gets runs of frames, and no frame that it cannot number', async (t) => {
  const listed = async (frames: string): Promise<string> =>
    (await runPython(t.testdir(), `from callsheet_blender import *\nprint(frame_list(${frames}))`)).out;
  t.equal(await listed('[1, 2, 3, 7, 9, 11, 20]'), '1..3,7,9,11,20\n');
  t.equal(await listed('[5]'), '5\n');
  t.match(
    await listed('[-1, 0]'),
    'openjd_fail: Blender renders frames from 0 to 1048574, and the job has frame -1',
  );
});

test('the format decides the ending of the pictures', async (t) => {
  const script = `from callsheet_blender import with_ending
print(with_ending("/d.1/a.####.png", "OPEN_EXR"), with_ending("/d/a.####", "JPEG"), with_ending("/d/a.####.tga", "scene"))`;
  t.equal((await runPython(t.testdir(), script)).out, '/d.1/a.####.exr /d/a.####.jpg /d/a.####.tga\n');
});

test(
  'a movie of 60 pictures a second has each of them once, and the sound of its length',
  { skip: noFfmpeg },
  async (t) => {
    const directory = t.testdir({ "it's 100% %04d": {} });
    const script = `
import os, subprocess
from callsheet_movie import encode
folder = os.path.abspath("it's 100% %04d")
def ffmpeg(*words):
    return subprocess.run(("ffmpeg", "-v", "error") + words, check=True, stdout=subprocess.PIPE).stdout.decode()
ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x90:rate=24:duration=10,format=rgb24,pad=161:91", "a.%04d.png")
for frame in range(1, 241):
    os.rename("a.%04d.png" % frame, os.path.join(folder, "a.%04d.png" % frame))
ffmpeg("-f", "lavfi", "-i", "sine=duration=9", "sound.wav")
encode(os.path.join(folder, "a.####.png"), list(range(1, 241)), os.path.join(folder, "a.mp4"), 60, "h264", 0, audio="sound.wav")
os.chdir(folder)
hashes = [line.split(",")[-1] for line in ffmpeg("-i", "a.mp4", "-map", "0:v", "-f", "framemd5", "-").splitlines() if line[0] != "#"]
probe = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height,duration", "-of", "csv=p=0", "a.mp4"]
print("distinct pictures: %d of %d" % (len(set(hashes)), len(hashes)))
print(subprocess.check_output(probe).decode())`;
    const { code, out } = await runPython(directory, script);
    t.equal(code, 0, out);
    t.match(out, /^distinct pictures: 240 of 240$/m);
    t.match(out, /^162,92,4\.000000$/m, 'the picture has even sides and lasts 240 frames');
    t.match(out, /^4\.0\d*$/m, 'the sound is cut to the length of the movie');
    t.match(out, /^openjd_progress: 100$/m);
    t.notMatch(out, /^frame=/m, 'the progress of ffmpeg is not in the log');
  },
);

test('a movie that ffmpeg does not finish does not get its name', { skip: noFfmpeg }, async (t) => {
  const directory = t.testdir({ 'a.1.png': 'not a picture', 'a.mp4': 'of an earlier attempt' });
  const { code, out } = await runPython(
    directory,
    'from callsheet_movie import encode\nencode("a.#.png", [1], "a.mp4", 24, "h264", 18)',
  );
  t.equal(code, 1);
  t.match(out, /^openjd_fail: ffmpeg ended with exit code 1: /m);
  t.notOk(existsSync(join(directory, 'a.mp4')), 'the movie of the earlier attempt is removed');
});
