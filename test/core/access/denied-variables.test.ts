import { test } from 'tap';
import {
  allowedVariables,
  DENIED_VARIABLES,
  isSecretVariable,
  variableTest,
} from '../../../src/core/access/denied-variables.ts';

const OWN = {
  PATH: '/bin',
  HOME: '/home/render',
  foundry_LICENSE: '4101@licenses',
  SVC_BUS_PASSWORD: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  aws_session_token: 'x',
  NATS_PASSWORD: 'x',
  GITHUB_TOKEN: 'x',
  MY_SECRET: 'x',
  MY_SECRET_KEY: 'x',
  'ODD.NAME_TOKEN': 'x',
  LD_PRELOAD: '/x.so',
  TOKEN: 'not in the list',
  GONE: undefined,
};

test('by default a job gets no secret and no loader variable of the daemon', async (t) => {
  t.same(allowedVariables(OWN, DENIED_VARIABLES), {
    PATH: '/bin',
    HOME: '/home/render',
    foundry_LICENSE: '4101@licenses',
    TOKEN: 'not in the list',
  });
});

test('a configured list replaces the default, but settings of the daemon are never passed', async (t) => {
  const own = {
    AWS_REGION: 'eu-west-1',
    LD_LIBRARY_PATH: '/opt/lib',
    MY_PASSWORD: 'x',
    SVC_BUS_URL: 'x',
    CALLSHEET_SESSION: 'x',
    CREDENTIALS_DIRECTORY: '/run/x',
    NOTIFY_SOCKET: '/run/x',
    LISTEN_FDS: '1',
  };
  t.same(allowedVariables(own, ['*_PASSWORD']), { AWS_REGION: 'eu-west-1', LD_LIBRARY_PATH: '/opt/lib' });
});

test('a glob matches the whole name, in upper and lower case', async (t) => {
  const isMatch = variableTest(['A?C', 'X_*']);
  t.same(['ABC', 'abc', 'A.C', 'ABCD', 'AC', 'X_', 'X_\n1', 'YX_'].filter(isMatch), [
    'ABC',
    'abc',
    'A.C',
    'X_',
    'X_\n1',
  ]);
  t.equal(variableTest([])('ANY'), false);
});

test('the daemon removes secrets from its environment, and keeps variables of the loader', async (t) => {
  t.same(Object.keys(OWN).filter(isSecretVariable), [
    'SVC_BUS_PASSWORD',
    'AWS_SECRET_ACCESS_KEY',
    'aws_session_token',
    'NATS_PASSWORD',
    'GITHUB_TOKEN',
    'MY_SECRET',
    'MY_SECRET_KEY',
    'ODD.NAME_TOKEN',
  ]);
});
