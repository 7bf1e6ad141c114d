import { mutantsOf, type Mutant } from './mutant.ts';

const WS = 'test/http/ws';

/** Mutants of the event channel, lists and followed logs. */
export const HTTP_EVENT_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'http/ws/client.ts',
    [`${WS}/client.test.ts`, `${WS}/gateway.test.ts`],
    [
      'a client that subscribes again gets two copies',
      '    if (known !== undefined) this.#leave(known);\n',
      '',
    ],
    [
      'a client that has unsubscribed still gets events',
      '          this.#leave(place);\n        }\n        this.#answer(ackFrame(frame.subject, place?',
      '        }\n        this.#answer(ackFrame(frame.subject, place?',
    ],
    [
      'events of a closed connection stay followed',
      '    for (const place of this.#places.values()) this.#leave(place);\n',
      '',
    ],
    [
      'a closed client counts twice',
      '    if (this.#isGone) return;\n    this.#isGone = true;',
      '    this.#isGone = true;',
    ],
    [
      'a busy subject starves the others',
      '      if (this.#places.delete(subject)) this.#places.set(subject, place);\n',
      '',
    ],
    [
      'an event that was refused is skipped',
      "      if (outcome !== 'refused') {\n        place.cursor += 1;\n        this.#hub.counts.pushed += 1;\n      }",
      '      place.cursor += 1;\n      this.#hub.counts.pushed += 1;',
    ],
    [
      'a number of an earlier run is kept',
      'sinceSeq === 0 ? ring.oldest - 1 : sinceSeq > ring.last ? 0 : sinceSeq',
      'sinceSeq === 0 ? ring.oldest - 1 : sinceSeq',
    ],
    ['lost events leave no gap', 'return this.cursor < this.channel.ring.oldest - 1;', 'return false;'],
    ['a connection has any number of subjects', 'this.#places.size >= SUBJECTS_MAX', 'this.#places.size < 0'],
    [
      'a client that reads nothing stays connected',
      "      this.#socket.close(POLICY_VIOLATION, 'client does not read replies');\n",
      '',
    ],
    [
      'a source that is opened for a closed client stays open',
      '      this.#hub.removeFollower(channel);\n      return;',
      '      return;',
    ],
  ),
  ...mutantsOf(
    'http/ws/pump.ts',
    [`${WS}/pump.test.ts`],
    ['an event during a round is lost', '    this.#changed = new Set();\n    for', '    for'],
    [
      'an event during a round waits for the next one',
      '    if (this.#changed.size > 0) this.#schedule();\n',
      '',
    ],
    ['the pump runs once', '    this.#isRunning = false;\n    this.#restsUntil', '    this.#restsUntil'],
    [
      'followers of later slices get nothing',
      '      setImmediate(() => this.#goOn(followers, busy));\n      return;',
      '      this.#isRunning = false;\n      return;',
    ],
    ['every event is delivered at once', 'waiting * 2 >= this.#depth && ', ''],
    ['many followers are served at once', ' && channel.followers.size <= FEW_FOLLOWERS) {', ') {'],
    [
      'a ring that was delivered at once counts as full',
      '      channel.deliveredTo = channel.ring.last;\n      return;',
      '      return;',
    ],
  ),
  ...mutantsOf(
    'http/ws/hub.ts',
    [`${WS}/hub.test.ts`, `${WS}/gateway.test.ts`],
    [
      'a subject that is followed again is dropped',
      '    this.#idle.delete(channel);\n  }\n\n  /** Removes',
      '  }\n\n  /** Removes',
    ],
    [
      'subjects without followers stay',
      '    this.#forgetIdle(this.#options.steadyNow() - IDLE_SUBJECT_MS, this.#idle.size);\n',
      '',
    ],
    [
      'a dropped subject keeps its source',
      '      channel.close();\n      forgotten += 1;',
      '      forgotten += 1;',
    ],
    [
      'a subject of all clients is dropped',
      'if (isLasting || channel.followers.size > 0) return;',
      'if (channel.followers.size > 0) return;',
    ],
    [
      'a subject is dropped with its first follower',
      'if (isLasting || channel.followers.size > 0) return;',
      'if (isLasting) return;',
    ],
  ),
  ...mutantsOf(
    'http/ws/replay-ring.ts',
    [`${WS}/replay-ring.test.ts`],
    [
      'one event more than the depth',
      'this.last - this.oldest + 1 === this.#depth',
      'this.last - this.oldest === this.#depth',
    ],
    [
      'the weight is not limited',
      'while (this.#weight > this.#weightMax && this.oldest < this.last) this.#dropOldest();',
      '',
    ],
    [
      'a heavy event drops itself',
      ' && this.oldest < this.last) this.#dropOldest();',
      ' && this.oldest <= this.last) this.#dropOldest();',
    ],
    ['the weight of dropped events stays', '    this.#weight -= this.#kept[place]?.weight ?? 0;\n', ''],
  ),
  ...mutantsOf(
    'http/ws/liveness.ts',
    [`${WS}/liveness.test.ts`],
    [
      'a frame does not count',
      '    this.#lastFrameAt.set(connection, this.#steadyNow());\n  }\n\n  tick',
      '  }\n\n  tick',
    ],
    ['a silent connection stays open', "      connection.close(GOING_AWAY, 'no frame for 5 minutes');\n", ''],
    ['all pings are sent in one tick', 'this.#entered++ % TICKS_PER_PING', '0'],
    [
      'a connection that has left gets pings',
      '    for (const each of this.#byTick) if (each.delete(connection)) break;\n',
      '',
    ],
  ),
  ...mutantsOf(
    'http/ws/message-limit.ts',
    [`${WS}/limits.test.ts`],
    [
      'frames of a connection are not limited',
      'if (!bucket.take(now)) return `more than ${CONNECTION_FRAMES.rps} frames per second`;',
      '',
    ],
    [
      'connections of one client have limits of their own',
      'const waitMs = this.#clients?.take(client, Math.floor(now)) ?? 0;',
      'const waitMs = 0;',
    ],
  ),
  ...mutantsOf(
    'http/log-follow/task-tails.ts',
    ['test/http/log-follow/task-tails.test.ts'],
    ['a piece is sent again', '          cursor = piece.busSeq;\n', ''],
    ['a followed task stays after its last tail', '      this.#leave(task);\n', ''],
    ['the first tail that leaves closes the task', '    if (task.tails > 0) return;\n', ''],
  ),
  ...mutantsOf(
    'http/log-follow/followed-task.ts',
    ['test/http/log-follow/task-tails.test.ts'],
    ['pieces from before a change are sent', '    this.#pieces.clear();\n', ''],
    ['a task that was retried stays ended', '    this.#ending = undefined;\n    for', '    for'],
    [
      'a deleted task is followed permanently',
      "if (ending === 'deleted') return true;",
      "if (ending === 'deleted') return false;",
    ],
    [
      'a client that leaves keeps waiting',
      "      gone.addEventListener('abort', go);\n      if (gone.aborted) go();",
      '',
    ],
    [
      'a second end needs no drain',
      'if (this.#drain?.end.at !== ending.at) {',
      'if (this.#drain === null) {',
    ],
  ),
  ...mutantsOf(
    'http/lists/job-lists.ts',
    [
      'test/http/lists/notice-order.test.ts',
      'test/http/lists/lists-on-disk.test.ts',
      'test/http/routes/jobs.test.ts',
    ],
    [
      'an earlier notice replaces a later one',
      'if (transaction > (this.#changed.get(id) ?? -1)) this.#changed.set(id, transaction);',
      'this.#changed.set(id, transaction);',
    ],
    [
      'a notice is dropped before its transaction is readable',
      'if (transaction <= lastReadable) this.#changed.delete(id);',
      'this.#changed.delete(id);',
    ],
    [
      'a deleted job stays in the lists',
      '      if (row === undefined) this.#remove(id);\n      else this.#put(row);',
      '      if (row !== undefined) this.#put(row);',
    ],
    [
      'the snapshot is taken before the notices',
      '    renew();\n    takeSnapshot(store);\n    this.#takeNotices();',
      '    this.#takeNotices();\n    renew();\n    takeSnapshot(store);',
    ],
    [
      'only the first part of the jobs is read',
      'if (read < FILLED_AT_ONCE) this.#filledTo = null;',
      'this.#filledTo = null;',
    ],
  ),
];
