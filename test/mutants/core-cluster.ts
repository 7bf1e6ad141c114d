import { mutantsOf, type Mutant } from './mutant.ts';

/** The random clusters of the simulation find these without any other test. */
const SIMULATION = ['test/sim/cluster/random-clusters.test.ts'];

/** Mutants of the replicated log. */
export const CLUSTER_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/core/cluster/sections.ts',
    ['test/core/cluster/sections.test.ts'],
    [
      'a long text of a cause ends in a part of a character',
      'bytes.subarray(textAt, textAt + MAX_TEXT_BYTES)',
      'bytes.subarray(textAt)',
    ],
    [
      'causes after the changes belong to the window',
      'if (open === null) return null;\n      open.causesEnd',
      'if (open === null) continue;\n      open.causesEnd',
    ],
  ),
  ...mutantsOf(
    'actors/service/gateway/cause-of.ts',
    ['test/actors/service/gateway/cause-of.test.ts'],
    ['a request has no account', 'origin?.principal ?? senderOf(envelope)', 'senderOf(envelope)'],
  ),
  ...mutantsOf(
    'src/core/cluster/log-chain.ts',
    SIMULATION,
    [
      'a record of an earlier epoch breaks the chain',
      '    if (record.epoch < this.#mark.epoch) return VOID;\n',
      '',
    ],
    [
      'a record that follows a refused one is valid',
      'equalBytes(previous.digest, this.#mark.digest))\n      return',
      'previous.digest.length > 0 || previous.position > 0)\n      return',
    ],
    [
      'a record that follows a refused one breaks the chain',
      'if (!isNewEpoch && previous.position > this.#mark.position) return VOID;',
      '',
    ],
  ),
  ...mutantsOf(
    'src/core/cluster/log-node.ts',
    SIMULATION,
    [
      'the lease is counted from the acknowledgement',
      'isAcknowledged ? slot.sentMs : -Infinity',
      'isAcknowledged ? this.#nowMs : -Infinity',
    ],
    [
      'reading the end of the log renews the lease',
      'isAcknowledged ? slot.sentMs : -Infinity',
      'isAcknowledged ? slot.sentMs : this.#nowMs',
    ],
    [
      'the epoch records of two candidates are equal',
      'encodeOwner({ node: this.#node, nonce: this.#nonce() }',
      'encodeOwner({ node: "", nonce: this.#nonce().fill(0) }',
    ],
    [
      'a takeover repeats the epoch',
      '[], this.#chain.mark.epoch + 1)',
      '[], Math.max(1, this.#chain.mark.epoch))',
    ],
    [
      'output is sent without a lease',
      'if (this.canAnswer(this.#nowMs)) this.#acceptStored();',
      'this.#acceptStored();',
    ],
    [
      'an owner answers after its lease',
      "return this.#state === 'owner' && this.#hasLease(this.#leaseFromMs, nowMs);",
      "return this.#state === 'owner' && nowMs >= 0;",
    ],
    ['entries in flight are forgotten when an epoch begins', '    this.#queue.restart();\n', ''],
    [
      'an owner continues after a record of another epoch',
      "    if (isOwning(this.#state)) return this.#end('fenced');\n",
      '',
    ],
    [
      'a refused append is ignored',
      'if (this.#window.takeResult(input.append) !== null) this.#isSearching = true;',
      'this.#window.takeResult(input.append);',
    ],
    [
      'records that the log lacks are not sent again',
      'if (!this.#window.isStored(slot)) this.#send(slot);',
      'if (this.#window.isStored(slot)) this.#send(slot);',
    ],
    [
      'an owner without void records begins an epoch',
      'if (this.#chain.position < next) {',
      'if (this.#chain.position < next - 1) {',
    ],
  ),
  ...mutantsOf(
    'src/core/cluster/log-node.ts',
    ['test/core/cluster/hand-over.test.ts'],
    [
      'an owner that hands over still answers',
      "return this.#state === 'owner' && this.#hasLease(this.#leaseFromMs, nowMs);",
      "return (this.#state === 'owner' || this.#state === 'leaving') && this.#hasLease(this.#leaseFromMs, nowMs);",
    ],
    [
      'the log is handed over before entries in flight are accepted',
      "if (this.#isIdle() && this.#state === 'owner' && this.#successor !== null) {",
      "if (this.#state === 'owner' && this.#successor !== null) {",
    ],
    [
      'a node that hands over accepts later entries',
      'if (this.#successor === null) this.#queue.add',
      'this.#queue.add',
    ],
    [
      'a successor waits until the owner is silent',
      'if (this.#isNamed && isEnd)',
      'if (this.#isNamed && !isEnd)',
    ],
    [
      'any follower takes over after a hand-over',
      'readSuccessor(step.record.body, this.#tools) === this.#node;',
      "readSuccessor(step.record.body, this.#tools) !== '';",
    ],
    [
      'a node reads on after its hand-over record',
      'return !isTerminal(this.#state);\n    }\n    if (this.#state ===',
      'return true;\n    }\n    if (this.#state ===',
    ],
  ),
  ...mutantsOf(
    'src/core/cluster/log-node.ts',
    ['test/core/cluster/log-node.test.ts'],
    [
      'the mark of an epoch record is stored before earlier entries',
      'this.#stored.push({ entries, mark: { position, epoch, digest: record.digest } });',
      'this.#stored.push({ entries, mark: { position, epoch, digest: record.digest } });\n    if (kind === "epoch") this.#effects.push({ type: "apply", windows: [], mark: this.#chain.mark });',
    ],
  ),
  ...mutantsOf(
    'src/core/cluster/trim-rule.ts',
    ['test/core/cluster/trim-rule.test.ts'],
    ['records of the last hour are removed', 'nowMs - this.#limits.keepMs', 'nowMs'],
    ['records that a member has not flushed are removed', 'Math.min(flushed, notKept) + 1', 'notKept + 1'],
    ['an absent member is waited for', 'nowMs - atMs < this.#limits.absentMs', 'nowMs >= atMs'],
  ),
  ...mutantsOf(
    'src/core/cluster/entry-queue.ts',
    ['test/core/cluster/log-node.test.ts'],
    ['a record takes entries without limit', ' && bytes < this.#groupBytes', ''],
    ['entries are placed twice', '    this.#placedCount -= count;\n', '    this.#placedCount = 0;\n'],
  ),
  ...mutantsOf(
    'src/adapters/cluster/store-marks.ts',
    ['test/adapters/cluster/store-marks.test.ts'],
    [
      'the mark of a store goes back',
      'if (position <= this.#applied.position) return this.#applied;',
      'if (position === this.#applied.position) return this.#applied;',
    ],
    ['an applied record hides a later one', 'if (passed > position) break;', ''],
  ),
  ...mutantsOf(
    'src/core/cluster/append-window.ts',
    SIMULATION,
    [
      'results are matched to the position of the append',
      '    this.#slots = [];\n    this.#positionByAppend.clear();',
      '    this.#slots = [];',
    ],
    [
      'an entry is accepted before its record is stored',
      'const isAcknowledged = this.#stored.get(slot.position);',
      'const isAcknowledged = this.#stored.get(slot.position) ?? true;',
    ],
  ),
  ...mutantsOf(
    'src/core/cluster/log-follower.ts',
    SIMULATION,
    [
      'a takeover does not wait for the end of the lease',
      'nowMs - this.#quietFromMs >= this.#limits.takeoverMs',
      'nowMs - this.#quietFromMs >= this.#limits.takeoverMs - 1500',
    ],
    ['new records do not postpone a takeover', 'if (isNew || isStalled)', 'if (isStalled)'],
    [
      'the mark of a part is stored',
      "if (body === null || body === 'damaged') return body;",
      "if (body === 'damaged') return body;\n    if (body === null) return { windows: [], mark };",
    ],
  ),
  ...mutantsOf('src/core/cluster/record-bodies.ts', SIMULATION, [
    'parts of an earlier epoch are kept',
    "if (record.kind === 'epoch') this.#parts = [];",
    "if (record.kind === 'epoch') this.#parts = [...this.#parts];",
  ]),
];
