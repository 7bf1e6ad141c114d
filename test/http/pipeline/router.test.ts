import { test } from 'tap';
import { Router } from '../../../http/pipeline/router.ts';

function routes(): Router<string> {
  const router = new Router<string>();
  router.add('GET', '/jobs', 'list');
  router.add('POST', '/jobs', 'submit');
  router.add('GET', '/jobs/{id}', 'one');
  router.add('GET', '/jobs/summary', 'summary');
  router.add('DELETE', '/jobs/{id}/tasks/{task}', 'task');
  const segments = new Map([['name', 2]]);
  router.add('GET', '/products/{name}', 'product', segments);
  router.add('GET', '/products/{name}/parameters', 'parameters', segments);
  router.add('POST', '/products/{name}/jobs', 'product jobs', segments);
  return router;
}

const found = (method: string, path: string): unknown => {
  const match = routes().match(method, path);
  return match.found ? [match.target, Object.fromEntries(match.parameters)] : match.methods;
};

void test('a path leads to its route, with decoded parameters', (t) => {
  t.same(found('GET', '/jobs'), ['list', {}]);
  t.same(found('GET', '/jobs/'), ['list', {}], 'one slash at the end is ignored');
  t.same(found('HEAD', '/jobs'), ['list', {}]);
  t.same(found('GET', '/jobs/a%2Fb'), ['one', { id: 'a/b' }]);
  t.same(found('GET', '/jobs/summary'), ['summary', {}], 'a literal segment comes first');
  t.same(found('DELETE', '/jobs/1/tasks/2'), ['task', { id: '1', task: '2' }]);
  t.end();
});

void test('a parameter of two segments takes the shortest value that leads to the method', (t) => {
  t.same(found('GET', '/products/a'), ['product', { name: 'a' }]);
  t.same(found('GET', '/products/a/b'), ['product', { name: 'a/b' }]);
  t.same(found('GET', '/products/a%2Fb'), ['product', { name: 'a/b' }]);
  t.same(found('GET', '/products/a/parameters'), ['parameters', { name: 'a' }]);
  t.same(found('GET', '/products/a%2Fparameters'), ['product', { name: 'a/parameters' }]);
  t.same(found('GET', '/products/a/b/parameters'), ['parameters', { name: 'a/b' }]);
  t.same(found('GET', '/products/a/parameters/parameters'), ['parameters', { name: 'a/parameters' }]);
  t.same(found('GET', '/products/a/jobs'), ['product', { name: 'a/jobs' }], 'only POST has jobs');
  t.same(found('POST', '/products/a/jobs'), ['product jobs', { name: 'a' }]);
  t.same(found('POST', '/products/a/b/jobs'), ['product jobs', { name: 'a/b' }]);
  t.same(found('PUT', '/products/a/jobs'), ['POST', 'GET', 'HEAD', 'OPTIONS']);
  t.same(found('PUT', '/products/a%2Fb/jobs'), ['POST', 'OPTIONS'], 'the name has two parts already');
  t.same(found('GET', '/products/a%2Fb/c'), []);
  for (const path of [
    '/products',
    '/products/',
    '/products/a//',
    '/products/a/b/c',
    '/products/a//parameters',
  ])
    t.same(found('GET', path), [], path);
  t.end();
});

void test('other paths have no route, and other methods the list of those that there are', (t) => {
  for (const path of [
    '/',
    '/other',
    '/jobs/1/tasks',
    '/jobs/1/tasks/',
    '/jobs//tasks/2',
    '/jobs//',
    '/jobs/%E0%A4%A',
  ])
    t.same(found('DELETE', path), [], path);
  t.same(found('PUT', '/jobs'), ['GET', 'HEAD', 'POST', 'OPTIONS']);
  t.same(found('GET', '/jobs/1/tasks/2'), ['DELETE', 'OPTIONS']);
  t.end();
});

void test('two routes cannot be the same', (t) => {
  const router = routes();
  t.throws(() => {
    router.add('GET', '/jobs', 'again');
  }, /two routes for GET/);
  t.throws(() => {
    router.add('GET', '/jobs/{name}', 'again');
  }, /has another name or length elsewhere/);
  t.end();
});
