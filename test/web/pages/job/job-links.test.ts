import { test } from 'tap';
import { linksOf } from '../../../../web/pages/job/model/job-links.ts';

const JOB = {
  id: 'j1',
  name: 'Shot 010/a & b',
  owner: 'ada',
  project: '',
  parameters: { Shot: '010 "x"', Frame: '7' },
};

test('placeholders are replaced by percent-encoded values', (t) => {
  const links = [
    { name: 'Tracker', url: 'https://example.org/{job.id}?name={job.name}&by={job.owner}' },
    { name: 'Shot', url: 'http://example.org/{parameter.Shot}#{parameter.Frame}' },
    { name: 'Plain', url: 'https://example.org' },
  ];
  t.strictSame(linksOf(links, JOB), [
    { name: 'Tracker', href: 'https://example.org/j1?name=Shot%20010%2Fa%20%26%20b&by=ada' },
    { name: 'Shot', href: 'http://example.org/010%20%22x%22#7' },
    { name: 'Plain', href: 'https://example.org' },
  ]);
  t.end();
});

test('a link without a value, or with another scheme, is left out', (t) => {
  const links = [
    { name: 'Project', url: 'https://example.org/{job.project}' },
    { name: 'Missing', url: 'https://example.org/{parameter.constructor}' },
    { name: 'Script', url: 'javascript:alert(1)' },
  ];
  t.strictSame(linksOf(links, JOB), []);
  t.end();
});
