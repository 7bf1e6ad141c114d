import { test } from 'tap';
import { KNOWN_APPLICATIONS, tagsWith } from '../../../src/core/applications/known-applications.ts';
import { capabilityNameWrong } from '../../../src/openjd/template/capabilities.ts';

test('every application has a tag that templates can require, and a way to detect it', (t) => {
  const tags = KNOWN_APPLICATIONS.map(({ tag }) => tag);
  t.strictSame([...new Set(tags)], tags, 'each tag is unique');
  t.strictSame([...tags].sort(), tags, 'in order');
  for (const { tag, programs, places = {}, variables = [] } of KNOWN_APPLICATIONS) {
    t.equal(capabilityNameWrong(`attr.worker.tag.${tag}`, 'attr', 100), null, tag);
    t.equal(tag, tag.toLowerCase());
    t.ok(programs.length + Object.keys(places).length + variables.length > 0, tag);
    for (const [system, paths] of Object.entries(places)) {
      for (const path of paths) t.match(path, system === 'windows' ? /^C:\/[^\\]+$/ : /^\/[^\\]+$/);
    }
  }
  t.end();
});

test('tags of the configuration override detected ones', (t) => {
  t.strictSame(tagsWith({}, ['docker', 'ffmpeg']), { docker: 'true', ffmpeg: 'true' });
  t.strictSame(tagsWith({ Docker: 'false', rack: 'r1' }, ['docker', 'ffmpeg']), {
    Docker: 'false',
    rack: 'r1',
    ffmpeg: 'true',
  });
  t.end();
});
