import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { PoisonedReports } from '../../actors/service/gateway/accept-reports.ts';
import { prepareFlush, type FlushPorts } from '../../actors/service/gateway/prepare-flush.ts';
import { recoverActors } from '../../actors/service/recover-actors.ts';
import type { ServiceEnvelope } from '../../actors/service/service-messages.ts';
import { SharedStanding, type StandingMemory } from '../../src/adapters/cluster/standing.ts';
import type { ServiceBus } from '../../src/core/ports/bus.ts';
import { FollowedJobs } from '../../src/adapters/system/followed-jobs.ts';
import { exposeControl } from './control-port.ts';
import { joinPlan } from './plan-parts.ts';
import { serveProfiles } from './profile-channel.ts';
import { connectBus } from './shard-bus.ts';
import { createHost } from './shard-host.ts';
import { openParts } from './shard-parts.ts';
import { openTallies } from './shard-tallies.ts';
import { shardThreadName } from './entry-url.ts';
import { standBy, type BegunShard } from './standby/stand-by.ts';
import {
  MEASURE_PERIOD_MS,
  SHARD_PROTOCOL_VERSION,
  type ShardCommand,
  type ShardControl,
  type ShardOptions,
  type ShardStart,
  type SubmitCommand,
} from './shard-protocol.ts';

/** Time limit of the round trip to the bus before tasks of a silent worker are reclaimed. */
const CONFIRM_BUS_MS = 5000;

/** Entry of a shard's thread. A shard holds some of the farms and has its own connection to the bus. */
if (parentPort === null) throw new Error('only the service starts a shard thread');
await start(parentPort, workerData as ShardStart);

/** Runs the shard at once, or after its standby. */
async function start(main: MessagePort, data: ShardStart): Promise<void> {
  serveProfiles(shardThreadName('standby' in data ? data.standby.index : data.index));
  if (!('standby' in data)) {
    await runShard(main, data, null);
    return;
  }
  const begun = await standBy(main, data.standby);
  if (begun !== null) await runShard(main, begun.options, begun);
}

async function runShard(main: MessagePort, options: ShardOptions, begun: BegunShard | null): Promise<void> {
  const parts = await openParts(main, options, begun);
  const { notify, ownsFarm, reader, store, meter, publisher } = parts;
  const { tallies, wakeLocalFarms } = openTallies(parts, (id, slot) => {
    host.post({ actor: 'lease', id, message: { type: 'capacity.freed', slot } });
  });
  const host = createHost(
    parts,
    tallies,
    () => bus.singleBus(),
    (outputs, windowStartedAt) => prepareFlush(outputs, windowStartedAt, flushPorts),
  );
  const { bus, stopLeasing, mayAnswer } = connectBus(parts, host);
  const flushPorts: FlushPorts = {
    bus: answeringBus(bus, options.standing),
    confirmBus: ({ workerId, askedAt }) => {
      void bus.check(CONFIRM_BUS_MS).then((failure) => {
        if (failure !== null) return;
        host.post({ actor: 'worker', id: workerId, message: { type: 'bus.confirmed', askedAt } });
      });
    },
    tallies,
    meter,
    poisoned: new PoisonedReports(),
    followed: new FollowedJobs(options.followed),
    mainThread: publisher,
    store,
    logError: (text) =>
      notify({ v: SHARD_PROTOCOL_VERSION, type: 'log', level: 'error', text, attributes: {} }),
    defer: queueMicrotask,
  };
  const measuring = setInterval(() => {
    notify({ v: SHARD_PROTOCOL_VERSION, type: 'measured', measures: meter.take() });
  }, MEASURE_PERIOD_MS);
  const control: ShardControl = {
    checkBus: async (timeoutMs) => (await bus.check(timeoutMs)) ?? (await bus.checkStreams()),
    stopLeasing,
    stop: async () => {
      clearInterval(measuring);
      await bus.close();
      await host.idle();
      host.stop();
      publisher.close();
      store.close();
      await reader.close();
    },
  };
  exposeControl(control, options.controlPort);
  const onCommand = (command: ShardCommand): void => {
    if (command.type === 'capacity-freed') wakeLocalFarms(command.slot);
    else if (command.type === 'ownership') mayAnswer(command.isCertain);
    else if (command.type === 'submit') host.post(submissionOf(command));
    else for (const envelope of command.envelopes) host.post(envelope);
  };
  if (begun === null) main.on('message', onCommand);
  else begun.onCommand(onCommand);
  for (const envelope of recoverActors(reader, ownsFarm, options.index === 0)) host.post(envelope);
}

/** The bus of an owner of a cluster sends nothing after its lease has expired: another node may own the farms. */
function answeringBus(bus: ServiceBus, memory: StandingMemory | null): FlushPorts['bus'] {
  if (memory === null) return bus;
  const standing = new SharedStanding(memory);
  return {
    prepareLease: (inbox, reply) => bus.prepareLease(inbox, reply),
    preparePresence: (inbox, reply) => bus.preparePresence(inbox, reply),
    takePrepared: () => {
      const send = bus.takePrepared();
      return () => {
        if (standing.canAnswer()) send();
      };
    },
    cancelAttempt: (worker, message) => {
      if (standing.canAnswer()) bus.cancelAttempt(worker, message);
    },
  };
}

function submissionOf({ farm, submission, plan, replyTo, origin }: SubmitCommand): ServiceEnvelope {
  const whole = { ...submission, plan: joinPlan(plan) };
  const message = { type: 'job.submit', submission: whole, replyTo } as const;
  return { actor: 'farm', id: farm, message, ...(origin === null ? {} : { origin }) };
}
