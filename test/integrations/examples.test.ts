import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

const folder = fileURLToPath(new URL('integrations', packageRoot));

/**
 * Compiles a program of Python from standard input. Prints the names that it imports from callsheet and that do not exist, and the
 * values that `parameters_of` returns and that the preset PRODUCT does not have.
 */
const COMPILE = `
import ast, os, sys
import callsheet
from callsheet.yaml_reader import read_yaml
tree = ast.parse(sys.stdin.read())
compile(tree, "example", "exec")
product = [node.value.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "PRODUCT"]
for name in product:
    with open(os.path.join(sys.argv[1], name + ".yaml")) as file:
        known = {each["name"] for each in read_yaml(file.read())["template"]["parameterDefinitions"]}
    (function,) = [node for node in tree.body if getattr(node, "name", "") == "parameters_of"]
    (values,) = [node for node in ast.walk(function) if isinstance(node, ast.Dict)]
    print(*(key.value for key in values.keys if key.value not in known), end="")
for node in ast.walk(tree):
    if isinstance(node, ast.ImportFrom) and node.module == "callsheet":
        print(*(name.name for name in node.names if not hasattr(callsheet, name.name)), end="")
`;

const compile = (program: string): { readonly status: number | null; readonly stdout: string } => {
  const { status, stdout, stderr } = spawnSync(
    'python3',
    ['-c', COMPILE, fileURLToPath(new URL('presets', packageRoot))],
    {
      input: program,
      encoding: 'utf8',
      env: {
        ...process.env,
        PYTHONPATH: fileURLToPath(new URL('clients/python/src', packageRoot)),
        PYTHONDONTWRITEBYTECODE: '1',
      },
    },
  );
  return { status, stdout: stdout + stderr };
};

test('the examples for other applications compile', (t) => {
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const examples = [...text.matchAll(/^### (\w+)\n\n```python\n([^]*?)^```/gm)];
  t.strictSame(
    examples.map(([, name]) => name),
    ['Maya', 'Houdini', 'Nuke'],
  );
  for (const [, name = '', program = ''] of examples) {
    t.strictSame(compile(program), { status: 0, stdout: '' }, name);
    const lines = program.trim().split('\n').length;
    t.ok(lines >= 50 && lines <= 70, `${name}: ${lines} lines`);
  }
  t.equal(compile('def x(:').status, 1, 'an error is found');
  t.end();
});

test('the modules of the Blender add-on compile', (t) => {
  const addOn = join(folder, 'blender/addon');
  for (const name of readdirSync(addOn).filter((each) => each.endsWith('.py')))
    t.strictSame(compile(readFileSync(join(addOn, name), 'utf8')), { status: 0, stdout: '' }, name);
  t.end();
});
