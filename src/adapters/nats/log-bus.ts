import type { NatsConnection } from '@nats-io/transport-node';
import { parseAttemptId } from '../../core/ids.ts';
import type { BusEvent, LogBus, LogBusListener } from '../../core/ports/bus.ts';
import type { LogPosition } from '../../core/records/log-chunk.ts';
import type { LogMessage, PreviewMessage } from '../../core/wire/bus-messages.ts';
import { logFault, previewFault } from '../../core/wire/sender-check.ts';
import {
  lastToken,
  parseWorkerSubject,
  previewedTask,
  scopedSubjects,
  SERVICE_INBOX_ROOT,
  STREAMS,
  subjects,
} from '../../core/wire/subjects.ts';
import { parseDiagnostic, parseLog, parsePreview } from '../../core/wire/worker-messages.ts';
import { BusConnection } from './connection.ts';
import { receive, type DeliveryParser } from './deliveries.ts';
import { DurableConsumer, type Redelivery } from './durable-consumer.ts';
import { readText } from './message-text.ts';
import { RefusedMessages } from './refused-messages.ts';
import type { ServerList } from './server-address.ts';
import { StreamWatch } from './stream-watch.ts';
import { managerOf, type StreamKind } from './streams.ts';

interface LogBusOptions {
  /** Servers of the connection for streams, to which the diagnostic records of workers are passed on. */
  readonly servers: ServerList;
  /** Whether the subjects of workers end with their ids, because each worker has a credential of its own. */
  readonly isScoped: boolean;
  readonly redelivery?: Redelivery;
  /** `bus.replicas`; null or absent if it is not set. */
  readonly replicas?: number | null;
  /** Name of the node of a cluster, each of which reads all logs; null or absent for a single node. */
  readonly node?: string | null;
}

const KINDS: readonly StreamKind[] = ['logs'];
const CONSUMER = 'logs';
/** A burst of logs can keep the writer busy: chunks are redelivered later than statuses. */
const REDELIVERY: Redelivery = { waitsMs: [10_000, 30_000, 60_000], deliveriesMax: 10 };
/** A node may have to catch up for long until it knows the job of a chunk. */
const NODE_REDELIVERY: Redelivery = { ...REDELIVERY, deliveriesMax: -1 };
/**
 * Chunks are up to 64 KiB: messages in flight stay below about 64 MiB, and messages requested in advance below 16 MiB.
 */
const UNACKNOWLEDGED_MAX = 1024;
const PULLED = 256;

/** Connects to the bus as the single reader of task logs. Starts immediately; the server may not be up yet. */
export function connectLogBus(options: LogBusOptions, listener: LogBusListener): LogBus {
  const { isScoped, node = null } = options;
  const changed = (event: BusEvent): void => listener.busChanged(event);
  const refused = new RefusedMessages(changed);
  const door: DeliveryParser<LogMessage> = {
    parse: parseLog,
    subjectFault: (subject, message) => logFault(subject, message, isScoped),
    changed,
    refused: (reason, subject) => refused.add(reason, subject),
  };
  const previewDoor: DeliveryParser<PreviewMessage> = {
    ...door,
    parse: parsePreview,
    subjectFault: (subject, message) => previewFault(subject, message, isScoped),
  };
  const consumer = new DurableConsumer(
    {
      kind: 'logs',
      replicas: options.replicas ?? null,
      identity: { name: node === null ? CONSUMER : `${CONSUMER}-${node}`, epoch: null },
      redelivery: options.redelivery ?? (node === null ? REDELIVERY : NODE_REDELIVERY),
      unacknowledgedMax: UNACKNOWLEDGED_MAX,
      pulled: PULLED,
    },
    {
      delivered: (message, streamCreatedAt) => {
        const subject = parseWorkerSubject('logs', message.subject);
        const sender = subject?.worker ?? null;
        if (subject !== null && previewedTask(subject.about) !== null) {
          receive(message, previewDoor, (delivery) => listener.previewed({ ...delivery, sender }));
          return;
        }
        receive(message, door, (delivery) => {
          listener.logged({ ...delivery, sender, streamSequence: message.seq, streamCreatedAt });
        });
      },
      started: () => changed({ type: 'ready' }),
      changed,
    },
  );
  const watch = new StreamWatch(KINDS, options.replicas ?? null, changed);
  let session: NatsConnection | null = null;
  const connection = new BusConnection(
    { servers: options.servers, name: 'callsheet logs', inboxPrefix: SERVICE_INBOX_ROOT },
    {
      sessionStarted: (nc) => {
        session = nc;
        void consumer.serve(nc);
        void watch.serve(nc);
        nc.subscribe(subjects.allDiagnostics, {
          callback: (error, message) => {
            // An error is a refused subscription, which the connection has reported.
            if (error !== null) return;
            const { subject, data } = message;
            try {
              listener.diagnosed(lastToken(subject), () => readText(data, parseDiagnostic));
            } catch (fault) {
              changed({ type: 'listenerFailed', subject, error: fault });
            }
          },
        });
      },
      sessionEnded: () => {
        session = null;
      },
      changed,
    },
  );
  return {
    check: (timeoutMs) => connection.check(timeoutMs),
    close: async () => {
      await connection.close();
      refused.close();
    },
    refuse: (reason, { sender, message }) => {
      const { logs, previews } = sender === null ? subjects : scopedSubjects(sender);
      refused.add(reason, ('number' in message ? previews : logs)(message.task_id));
    },
    lastLogOf: async (task, worker) => {
      if (session === null) throw new Error('not connected to a server');
      // Only the subject of this worker: others could announce chunks that will never be stored.
      if (isScoped && worker === null) return null;
      const { logs } = isScoped && worker !== null ? scopedSubjects(worker) : subjects;
      const { streams } = await managerOf(session);
      const message = await streams.getMessage(STREAMS.logs.name, { last_by_subj: logs(task) });
      return message === null ? null : positionOf(message.subject, message.data, isScoped);
    },
  };
}

/** Returns null for an invalid chunk, which is discarded on delivery. */
function positionOf(subject: string, data: Uint8Array, isScoped: boolean): LogPosition | null {
  const read = readText(data, parseLog);
  if (!read.ok || logFault(subject, read.value, isScoped) !== null) return null;
  const attempt = parseAttemptId(read.value.attempt_id);
  return attempt === null ? null : { attempt, seqNum: read.value.seq_num };
}
